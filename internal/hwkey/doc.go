// Package hwkey is the heart of Keyward: tokens on record and the custody of
// their secrets.
package hwkey
