//! Rules on the content of responses: whether it is right and the same for all targets.

pub(crate) mod bare_line_feeds;
pub(crate) mod changed_answers;
pub(crate) mod content_under_load;
pub(crate) mod literal_template;
pub(crate) mod mixed_responses;
pub(crate) mod suspicious_response;
pub(crate) mod unchecked_content;
pub(crate) mod unequal_answers;
