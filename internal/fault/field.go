package fault

// Field names one invalid input and says what is wrong with it. The message
// never repeats the submitted value.
type Field struct {
	Field   string `json:"field"`
	Code    string `json:"code"`
	Params  Params `json:"params,omitempty"`
	Message string `json:"message"` // in English, after the field's name: "is required"
}

// Wrong makes a Field with a message of its own. Those that many resources share are below.
func Wrong(field, code, message string) Field { return Wrongf(field, code, message, nil) }

// Wrongf is Wrong with {places} in the message, each named after a param.
func Wrongf(field, code, message string, params Params) Field {
	return Field{Field: field, Code: code, Params: params, Message: fill(message, params)}
}

// Required is for a field that is missing or empty.
func Required(field string) Field { return Wrong(field, "required", "is required") }

// Unknown is for a field that the request does not have.
func Unknown(field string) Field {
	return Wrong(field, "unknown_field", "is not a field of this request")
}

// NotNull is for a field that cannot be cleared.
func NotNull(field string) Field { return Wrong(field, "not_null", "must not be null") }

// TooLong is for a text of more than most characters.
func TooLong(field string, most int) Field {
	return Wrongf(field, "too_long", "must have at most {max} characters", Params{"max": most})
}

// BadLength is for a text of fewer than least or more than most characters.
func BadLength(field string, least, most int) Field {
	return Wrongf(field, "bad_length", "must have {min} to {max} characters", Params{"min": least, "max": most})
}

// TooMany is for a list of more than most entries.
func TooMany(field string, most int) Field {
	return Wrongf(field, "too_many", "must have at most {max} entries", Params{"max": most})
}

// BadText is for a text that has more than most characters or control characters.
func BadText(field string, most int) Field {
	return Wrongf(field, "bad_text", "must have at most {max} characters and no control characters", Params{"max": most})
}

// BadName is for a text that is empty, has more than most characters or invisible ones.
func BadName(field string, most int) Field {
	return Wrongf(field, "bad_name", "must have 1 to {max} characters, none of them invisible", Params{"max": most})
}

// OutOfRange is for a number that is too small or too large.
func OutOfRange[N int | int64](field string, least, most N) Field {
	return Wrongf(field, "out_of_range", "must be between {min} and {max}", Params{"min": least, "max": most})
}

// NotOneOf is for a word that is not among values.
func NotOneOf[S ~string](field string, values ...S) Field {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = string(v)
	}
	return Wrongf(field, "not_one_of", "must be one of {values}", Params{"values": words})
}
