package app_test

import "github.com/keyward/keyward/test/engine"

// execute changes the database from outside.
func (s *server) execute(statement string, args ...any) {
	s.t.Helper()
	engine.Execute(s.t, s.data, statement, args...)
}
