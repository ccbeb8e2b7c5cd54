// Package containers checks what deploy/ has for containers: the image, the compose file and
// the Helm chart.
package containers
