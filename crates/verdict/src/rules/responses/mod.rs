//! Rules on responses: whether the work was done and was the same for all targets.

pub(crate) mod bare_line_feeds;
pub(crate) mod censored;
pub(crate) mod changed_answers;
pub(crate) mod content_under_load;
pub(crate) mod errors;
pub(crate) mod left_behind;
pub(crate) mod literal_template;
pub(crate) mod mixed_responses;
pub(crate) mod read_back;
pub(crate) mod suspicious_response;
pub(crate) mod unchecked_content;
pub(crate) mod unequal_answers;
pub(crate) mod unequal_requests;
