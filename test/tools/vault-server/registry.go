package main

import (
	jwt "github.com/hashicorp/vault-plugin-auth-jwt"
	kv "github.com/hashicorp/vault-plugin-secrets-kv"
	"github.com/hashicorp/vault/builtin/credential/approle"
	"github.com/hashicorp/vault/builtin/credential/cert"
	"github.com/hashicorp/vault/builtin/logical/pki"
	"github.com/hashicorp/vault/sdk/helper/consts"
	"github.com/hashicorp/vault/sdk/logical"
)

// builtins are the engines that can be mounted.
var builtins = map[string]struct {
	kind    consts.PluginType
	factory logical.Factory
}{
	"kv":      {consts.PluginTypeSecrets, kv.Factory},
	"pki":     {consts.PluginTypeSecrets, pki.Factory},
	"approle": {consts.PluginTypeCredential, approle.Factory},
	"cert":    {consts.PluginTypeCredential, cert.Factory},
	"jwt":     {consts.PluginTypeCredential, jwt.Factory},
}

// credentials are those that people and programs sign in with.
func credentials() map[string]logical.Factory {
	list := map[string]logical.Factory{}
	for name, b := range builtins {
		if b.kind == consts.PluginTypeCredential {
			list[name] = b.factory
		}
	}
	return list
}

// registry tells the core of them.
type registry struct{}

func (registry) Contains(name string, kind consts.PluginType) bool {
	b, ok := builtins[name]
	return ok && b.kind == kind
}

func (r registry) Get(name string, kind consts.PluginType) (func() (any, error), bool) {
	if !r.Contains(name, kind) {
		return nil, false
	}
	return func() (any, error) { return builtins[name].factory, nil }, true
}

func (registry) Keys(kind consts.PluginType) (names []string) {
	for name, b := range builtins {
		if b.kind == kind {
			names = append(names, name)
		}
	}
	return names
}

func (r registry) DeprecationStatus(name string, kind consts.PluginType) (consts.DeprecationStatus, bool) {
	return consts.Supported, r.Contains(name, kind)
}

func (registry) IsBuiltinEntPlugin(string, consts.PluginType) bool { return false }
