package app

import (
	"context"
	"errors"
	"log/slog"

	"github.com/keyward/keyward/internal/signon"
	"github.com/keyward/keyward/internal/system"
	"github.com/keyward/keyward/internal/textinput"
)

// signOnComponent is the health of single sign-on: whether its provider answers.
func signOnComponent(svc *signon.Service) system.Component {
	return system.Component{Name: "single_sign_on", Check: func(ctx context.Context) system.Finding {
		on, err := svc.Ask(ctx)
		switch {
		case errors.Is(err, signon.ErrUnavailable), errors.Is(err, signon.ErrRejected):
			reason := textinput.CleanLine(err.Error())
			return system.Finding{Status: system.Failed, Code: "sign_on_down", Params: map[string]any{"reason": reason},
				Detail: "Nobody can sign in with single sign-on: " + reason}
		case err != nil:
			return system.Finding{Status: system.Failed, Code: "sign_on_unknown",
				Detail: "The state of single sign-on is unknown: the database is not responding."}
		case !on:
			return system.Finding{Status: system.NotConfigured, Code: "sign_on_off",
				Detail: "Single sign-on is turned off: people sign in with passwords."}
		}
		return system.Finding{Status: system.OK}
	}}
}

// noteProvider logs if a server starts while the provider is down.
func noteProvider(ctx context.Context, svc *signon.Service, log *slog.Logger) {
	if on, err := svc.Ask(ctx); on && err != nil && ctx.Err() == nil {
		log.WarnContext(ctx, "single sign-on: until the provider can be reached, nobody can sign in through it", "error", err)
	}
}
