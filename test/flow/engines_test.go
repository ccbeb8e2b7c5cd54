package flow_test

import (
	"testing"

	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/vaultserver"
)

// engines are what a service keeps its data in.
type engines struct{ postgres, remote bool }

// chosen are those that the environment asks for, as in all tests
// (KEYWARD_TEST_DATABASE, KEYWARD_TEST_VAULT).
func chosen(t *testing.T) engines {
	t.Helper()
	return engines{engine.OnPostgres(), vaultserver.Wanted(t)}
}

// pastOneMachine are those of an installation of several servers.
var pastOneMachine = engines{postgres: true, remote: true}

// database is PostgreSQL's URL for the service with that data directory, or
// empty for the file in it.
func (e engines) database(t *testing.T, dir string) string {
	t.Helper()
	if e.postgres && !engine.OnPostgres() {
		return engine.Postgres(t)
	}
	return engine.Database(t, dir)
}

// vault makes mounts of the service's own, if its vault is remote.
func (e engines) vault(t *testing.T) *remoteVault {
	t.Helper()
	if !e.remote {
		return nil
	}
	s := vaultserver.Shared(t)
	o := s.Operator()
	o.PublicBase = publicBase
	s.Prepare(t, o)
	o = s.AppRole(t, o)
	v := &remoteVault{Address: o.Address, CACert: o.CACert, Mounts: o.Mounts}
	role, err := o.RoleID()
	must(t, err)
	id, err := o.SecretID()
	must(t, err)
	v.RoleID, v.SecretID = role.Reveal(), id.Reveal()
	return v
}
