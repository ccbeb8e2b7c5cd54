// Package server is the license service over HTTP (specification, "License service
// (internal)"; api/license.yaml). It serves only the backend: anyone else gets nothing
// but /health.
//
//	/health               GET
//	/license              DELETE
//	/license/status       GET
//	/license/upload       POST
//	/license/history      GET
//	/license/installation-id   GET
package server

//go:generate go run ./gen ../../../api/license.yaml
