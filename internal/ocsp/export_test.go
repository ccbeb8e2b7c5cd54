package ocsp

// Parse returns what a request asks about.
func Parse(der []byte) (serials []string, nonce []byte, err error) {
	r, err := parse(der)
	for _, id := range r.ids {
		serials = append(serials, id.serial)
	}
	return serials, r.nonce, err
}
