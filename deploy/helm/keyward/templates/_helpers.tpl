{{- define "keyward.name" -}}
{{- if contains "keyward" .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-keyward{{ end }}
{{- end }}

{{- define "keyward.selector" -}}
app.kubernetes.io/name: keyward
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "keyward.labels" -}}
{{ include "keyward.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "keyward.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "keyward.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* The files of a pod: a dictionary from file names to keys. */}}
{{- define "keyward.files" -}}
- name: files
  projected:
    defaultMode: 0440
    sources:
      {{- range $name, $from := . }}
      - {{ if $from.secret }}secret{{ else }}configMap{{ end }}:
          name: {{ $from.secret | default $from.configMap | quote }}
          items: [{ key: {{ $from.key | quote }}, path: {{ $name | quote }} }]
      {{- end }}
{{- end }}
