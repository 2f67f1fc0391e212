//! Little's law as a consistency check of measured figures.

use serde::Serialize;

/// Throughput, mean times and concurrency of one measurement, for a check with Little's law:
/// throughput times the mean time in the system equals the mean number of operations in the system.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Little {
    /// X: operations completed per second, successful or failed.
    pub throughput: f64,
    /// R: mean duration of a successful or failed operation, seconds.
    pub residence: f64,
    /// Z: mean think time of a client between two operations, seconds.
    pub think: f64,
    /// N: number of clients or connections.
    pub concurrency: f64,
}

impl Little {
    /// ρ = X·(R + Z)/N, which is 1 for consistent figures. Above 1, more than N operations were in
    /// flight, or the measured times are too long. Below 1, clients were idle for a time that the
    /// figures omit. `None` unless N is positive and ρ is finite.
    pub fn ratio(&self) -> Option<f64> {
        let ratio = self.throughput * (self.residence + self.think) / self.concurrency;
        (self.concurrency > 0.0 && ratio.is_finite()).then_some(ratio)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A published concurrency sweep of a search server: clients, responses per second, mean
    /// response time in seconds. Each client waited 10 ms between requests, which the report did
    /// not state. The load generator rounded the number of clients up to the next multiple of four.
    const RAMP: [(f64, f64, f64); 11] = [
        (1.0, 33.2, 0.019_765_581_680_722_916),
        (2.0, 65.766_666_666_666_67, 0.020_047_345_673_086_702),
        (4.0, 118.633_333_333_333_34, 0.023_357_554_419_499_882),
        (6.0, 151.333_333_333_333_34, 0.042_344_890_696_916_264),
        (8.0, 141.566_666_666_666_66, 0.045_836_844_514_480_835),
        (10.0, 148.866_666_666_666_67, 0.069_497_049_238_468_33),
        (12.0, 150.0, 0.069_028_395_552_222_15),
        (14.0, 139.433_333_333_333_34, 0.103_368_106_871_862_3),
        (16.0, 150.633_333_333_333_33, 0.094_733_865_133_879_55),
        (18.0, 145.4, 0.125_811_904_839_294_05),
        (20.0, 140.933_333_333_333_34, 0.130_164_929_090_113_3),
    ];

    fn rho(clients: f64, throughput: f64, residence: f64, think: f64) -> f64 {
        Little {
            throughput,
            residence,
            think,
            concurrency: clients,
        }
        .ratio()
        .unwrap()
    }

    #[test]
    fn a_sweep_with_rounded_clients_violates_littles_law() {
        for (clients, throughput, residence) in RAMP {
            let ratio = rho(clients, throughput, residence, 0.010);
            let really = if clients < 4.0 {
                clients
            } else {
                (clients / 4.0).ceil() * 4.0
            };
            if clients == really {
                assert!((0.985..0.991).contains(&ratio), "{clients}: {ratio}");
                let without_wait = rho(clients, throughput, residence, 0.0);
                assert!(without_wait < 0.95, "{clients}: {without_wait}");
            } else {
                assert!(ratio > 1.09, "{clients}: {ratio}");
                let ratio = rho(really, throughput, residence, 0.010);
                assert!((0.985..0.991).contains(&ratio), "{really}: {ratio}");
            }
        }
    }

    #[test]
    fn thirty_requests_on_one_connection_violate_littles_law() {
        // wg/wrk issue 438: 1 connection, 5,043 requests a second, 6.04 ms each.
        assert!((rho(1.0, 5_043.0, 0.006_04, 0.0) - 30.46).abs() < 0.01);
    }

    #[test]
    fn no_ratio_without_clients() {
        let nobody = Little {
            throughput: 1.0,
            residence: 1.0,
            think: 0.0,
            concurrency: 0.0,
        };
        assert_eq!(nobody.ratio(), None);
    }
}
