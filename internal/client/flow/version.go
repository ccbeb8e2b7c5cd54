package flow

import "fmt"

// algorithm is the management key's for a firmware version: AES-192 from
// 5.4.2 on, 3DES before (contract, "Hardware tokens and custody"). A version
// that cannot be read leaves the choice to the agent.
func algorithm(version string) string {
	var major, minor, patch int
	if n, err := fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &patch); n != 3 || err != nil {
		return ""
	}
	if major*10000+minor*100+patch >= 50402 {
		return "AES192"
	}
	return "TDES"
}
