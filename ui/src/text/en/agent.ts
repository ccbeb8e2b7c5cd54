export const agent = {
  pill: {
    label: "Agent on this computer",
    connected: "Agent connected",
    plugged: (n: number) => `${n} plugged in`,
    checking: "Looking for the agent …",
    failed: "Agent not checked",
    prompt: "Permission needed",
    denied: "Blocked by the browser",
    missing: "Agent not running",
    foreign_origin: "Agent is for another site",
    too_old: "Agent too old",
    not_registered: "Agent to be confirmed",
    other: "Another agent",
  },
  details: {
    host: "Computer",
    version: "Version",
    fingerprint: "Fingerprint of its key",
    compare: "The agent shows the same fingerprint when it starts.",
    check: "Look again",
  },
  trouble: {
    failed: { title: "The agent could not be checked" },
    missing: {
      title: "The agent does not answer",
      why: "Keyward reaches your token through a small program on this computer, the agent. It is not running, or not installed.",
      todo: "Start it with this command. If it is not installed, get it below first.",
    },
    prompt: {
      title: "Your browser will ask for permission",
      why: "To reach your token, this page talks to the agent on this computer. Your browser asks you first whether it may.",
      todo: "Choose Allow when the browser asks about apps and services on this device.",
    },
    denied: {
      title: "Your browser blocks the way to the agent",
      why: "This page may not reach apps and services on this device: somebody chose Block, or a rule of your organization says so.",
      todo: "Open the site settings beside the address of this page, set “Apps on device” (or “Local network access”) to Allow, and load the page again.",
      insecure:
        "This page was opened by plain http, and browsers let no such page reach this device. Open it by https; your administrator knows the address.",
      managed:
        "Where browsers are managed, an administrator can allow it for everybody with one of these policy files.",
    },
    foreign_origin: {
      title: "The agent was started for another site",
      why: "An agent runs on this computer, but it answers only to the site that it was started for, and that is not this one.",
      todo: "End it, and start it for this site.",
    },
    too_old: {
      title: "The agent is too old",
      why: (version: string, least: string) =>
        `This computer has version ${version}. This page needs ${least} or later.`,
      todo: "Get the new one, end the old one, and start the new one.",
    },
    not_registered: {
      title: "Confirm the agent on this computer",
      why: "You have not used this agent before. Once you confirm it, it can receive the secrets of tokens for you, sealed so that only it can open them.",
      todo: "Its window shows this fingerprint when it starts. If it is the same, use the agent.",
    },
    other: {
      title: "This is not the agent that you registered",
      why: (host: string) =>
        host
          ? `Your session knows another agent's key, of ${host}. That is normal when the agent was restarted, or when you sat at another computer.`
          : "Your session knows another agent's key. That is normal when the agent was restarted.",
      todo: "If you started this agent yourself, use it from now on. Its window shows the same fingerprint:",
      was: "Registered before",
      now: "Answers now",
      button: "Use this agent",
      done: "This agent is registered.",
    },
    command: "Command that starts the agent for this site",
    allow: "Ask my browser now",
    retry: "Look again",
    listening: "This page keeps looking, and goes on by itself.",
    downloads: "Get the agent",
    noDownloads: "This server offers no agent to download. Ask your administrator.",
    policies: "Policy files for managed browsers",
    systems: { linux: "Linux", darwin: "macOS", windows: "Windows" } as Record<string, string>,
  },
};
