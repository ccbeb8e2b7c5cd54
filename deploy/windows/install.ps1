# Installs the agent for the current user: it starts now and at each sign-in, minimized.
#
#   powershell -ExecutionPolicy Bypass -File install.ps1 -Origin https://keyward.example.org
#   powershell -ExecutionPolicy Bypass -File install.ps1 -Remove
#
# It is no Windows service, since those run in a session of their own, as another user.
[CmdletBinding(DefaultParameterSetName = 'Install')]
param(
    [Parameter(Mandatory = $true, ParameterSetName = 'Install')]
    [ValidatePattern('^https?://[^/\s"]+$')]
    [string[]] $Origin,

    [Parameter(Mandatory = $true, ParameterSetName = 'Remove')]
    [switch] $Remove
)
$ErrorActionPreference = 'Stop'
$folder = Join-Path $env:LOCALAPPDATA 'Programs\Keyward'
$program = Join-Path $folder 'keyward-agent.exe'
$link = Join-Path ([Environment]::GetFolderPath('Startup')) 'Keyward agent.lnk'

# One that is running keeps its file from being replaced.
Get-Process keyward-agent -ErrorAction SilentlyContinue | Where-Object Path -eq $program | Stop-Process
Get-Process keyward-agent -ErrorAction SilentlyContinue | Where-Object Path -eq $program | Wait-Process -Timeout 30

if ($Remove) {
    # The agent's identity stays, in %AppData%\keyward.
    Remove-Item $link, $program -ErrorAction SilentlyContinue
    exit
}

New-Item -ItemType Directory -Force $folder | Out-Null
Copy-Item (Join-Path $PSScriptRoot 'keyward-agent.exe') $program -Force
$shortcut = (New-Object -ComObject WScript.Shell).CreateShortcut($link)
$shortcut.TargetPath = $program
$shortcut.Arguments = ($Origin | ForEach-Object { "--origin $_" }) -join ' '
$shortcut.WorkingDirectory = $folder
$shortcut.WindowStyle = 7
$shortcut.Save()
Start-Process $link
