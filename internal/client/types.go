package client

import (
	"github.com/keyward/keyward/api/agent"
	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/page"
)

// Requests and responses of the service.
type (
	User           = backend.User
	NewUser        = backend.NewUser
	EnabledUsers   = backend.EnabledUsers
	Me             = backend.Me
	Session        = backend.Session
	PairedAgent    = backend.Agent
	Device         = backend.HWKey
	NewDevice      = backend.NewHWKey
	Certificate    = backend.Certificate
	Sealed         = backend.Sealed
	Values         = backend.SealedFields
	Kind           = backend.Kind
	Candidate      = backend.Candidate
	OpenRotation   = backend.PendingSecrets
	Secrets        = backend.SecretsAnswer
	NewRotation    = backend.StartRotationRequest
	Rotation       = backend.Rotation
	Observation    = backend.Observation
	Readiness      = backend.Readiness
	UsableProfiles = backend.UsableProfiles
	CSR            = backend.SignCSRRequest
	Signed         = backend.SignedCertificate
	Unrecorded     = backend.UnrecordedIssuance
	RevokeAny      = backend.RevokeAnyRequest
	RevokedAny     = backend.RevokedAny
	OnRecord       = backend.ReleasesOnRecord
	Recovery       = backend.RecoveryReport
	Page[T any]    = page.Page[T]
)

// The kinds of candidates, and None for a probe that found no match.
const (
	Current    = backend.Current
	Pending    = backend.Pending
	Superseded = backend.Superseded
	Factory    = backend.Factory
	None       = backend.None
)

// Requests and responses of the agent. Leave a request's target empty where the call
// names it.
type (
	WellKnown    = agent.Status
	AgentKey     = agent.PublicKey
	SystemInfo   = agent.System
	Connected    = agent.Token
	PIVInfo      = agent.PIVInfo
	Slot         = agent.Slot
	Defaults     = agent.Defaults
	ProbeResult  = agent.ProbeResult
	Subject      = agent.Subject
	NewCSR       = agent.GenerateCSRRequest
	GeneratedCSR = agent.GenerateCSRResult
	Import       = agent.ImportCertificateRequest
)
