package main

import (
	kv "github.com/hashicorp/vault-plugin-secrets-kv"
	"github.com/hashicorp/vault/builtin/credential/approle"
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
