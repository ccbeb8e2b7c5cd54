package access

import "testing"

// TestDemandRecent: the demand is added to the admission, only for holders of
// the returned context.
func TestDemandRecent(t *testing.T) {
	t.Parallel()
	if AdmissionOf(DemandRecent(t.Context())) != nil {
		t.Error("there is an admission outside of a request")
	}
	before := Admit(t.Context(), Admission{Actor: Actor{UserID: 7}})
	after := AdmissionOf(DemandRecent(before))
	if after == nil || !after.Recent || after.Actor.UserID != 7 || AdmissionOf(before).Recent {
		t.Errorf("%+v from %+v", after, AdmissionOf(before))
	}
	if AdmissionOf(DemandRecent(OnRecord(before))) != nil {
		t.Error("what only has to be put on record is held up")
	}
}
