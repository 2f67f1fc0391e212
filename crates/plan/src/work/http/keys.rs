//! Turns the keys of kind `http` into workloads.

use super::HttpDraft;
use super::resolve::resolve;
use crate::keys::scalar::Field;
use crate::plan_file::problem::Place;
use crate::resolver::Resolver;
use crate::secrets::Secrets;
use crate::secrets::environment::{Variables, body, field, query};
use crate::work::{Keys, WorkloadKind};

impl Keys for HttpDraft {
    fn look_up(&mut self, resolver: &mut Resolver<'_>, variables: &mut Variables) {
        let mut secrets = Secrets::default();
        let mut request = |path: &mut Field, content: &mut Field| {
            field(resolver, "path", path, &mut secrets);
            query(path, &mut secrets, variables);
            field(resolver, "body", content, &mut secrets);
            body(content, &mut secrets, variables);
        };
        request(&mut self.path, &mut self.body);
        let by_target = self.by_target.iter_mut();
        for template in by_target.flat_map(|by| by.value.0.values_mut()) {
            request(&mut template.value.path, &mut template.value.body);
        }
        self.secrets = secrets;
    }

    fn resolve(&self, resolver: &mut Resolver<'_>, _: Place) -> Vec<WorkloadKind> {
        vec![resolve(resolver, self).into()]
    }
}
