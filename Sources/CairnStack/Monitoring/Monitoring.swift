import CoreMetrics
import Logging

/// Where a coordinator reports what it does, and which operations count as slow.
///
/// By default, messages go to the process's log handler (`LoggingSystem.bootstrap`) with the label `cairn`, and
/// metrics go to the process's metrics backend (`MetricsSystem.bootstrap`). Without a backend, metrics are
/// ignored.
///
/// | Level | Messages |
/// |---|---|
/// | error | A value could not be read by an accessor that does not throw. |
/// | warning | An operation was slow (one message for each ``MonitoredOperation`` and minute, with the number of those that were left out). A save succeeded, but a store has yet to write its part. |
/// | notice | A store was migrated. A save that a crash had interrupted was finished. Only the order of the stores decided where a new object was saved (once for each coordinator). |
/// | debug | A store was opened or removed. Objects were saved. An operation failed. |
/// | trace | Objects were fetched or counted. |
///
/// Messages contain the names of entities, properties and files, and IDs of objects, but no stored values. The
/// text of a predicate's error contains constants of the predicate, and an error that the program's own hook or
/// merge policy threw is logged as it is.
///
/// | Metric | Kind | Dimensions |
/// |---|---|---|
/// | `cairn.operation.duration` | timer | `operation` |
/// | `cairn.operation.failures` | counter | `operation`, `code`: the error's ``GraphError/code`` |
/// | `cairn.operation.slow` | counter | `operation` |
/// | `cairn.rows.read` | counter | none |
/// | `cairn.objects.saved` | counter | `change`: `inserted`, `updated` or `deleted` |
/// | `cairn.saves.recovered` | counter | none |
/// | `cairn.stores.open` | meter | none |
///
/// The values of `operation` are the raw values of ``MonitoredOperation``. `cairn.rows.read` counts the rows of
/// fetched objects and of faults, but not those of fetches for IDs. Rows that a fault finds in the row
/// cache cost no store operation, and are neither counted nor timed.
public struct Monitoring: Sendable {
    /// Receives the messages. Its log level when the configuration is set decides which messages are created.
    public var logger: Logger
    /// How long an operation may take until it is reported with a warning. `nil` means that no operation is
    /// reported as slow. There is at most one warning for each kind of operation and minute; the metric
    /// `cairn.operation.slow` counts all slow operations.
    public var slowOperationThreshold: Duration?
    /// The metrics backend.
    public var metricsFactory: any MetricsFactory

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - logger: Receives the messages.
    ///   - slowOperationThreshold: How long an operation may take until it is reported with a warning.
    ///   - metricsFactory: The metrics backend.
    public init(
        logger: Logger = Logger(label: "cairn"), slowOperationThreshold: Duration? = .seconds(1),
        metricsFactory: any MetricsFactory = MetricsSystem.factory
    ) {
        self.logger = logger
        self.slowOperationThreshold = slowOperationThreshold
        self.metricsFactory = metricsFactory
    }
}

extension PersistentStoreCoordinator {
    /// Where the coordinator reports what it does, and which operations count as slow.
    ///
    /// Operations that are running when the configuration is changed are reported to the old one.
    ///
    /// ```swift
    /// import Logging
    ///
    /// coordinator.monitoring.logger.logLevel = .debug
    /// coordinator.monitoring.slowOperationThreshold = .milliseconds(200)
    /// ```
    public var monitoring: Monitoring {
        get { monitor.configuration }
        set { monitor.configure(newValue, openStoreCount: attachedStores.count) }
    }
}

/// An operation of a coordinator that is reported to a log and to metrics. See ``Monitoring``.
public enum MonitoredOperation: String, Sendable, CaseIterable {
    /// Opening a store, including waiting for locks and migrating the store.
    case open
    /// Migrating stores to the current version of the model.
    case migrate
    /// Fetching objects, or their IDs.
    case fetch
    /// Counting objects.
    case count
    /// Fetching dictionaries, including summaries such as sums.
    case dictionaries
    /// Reading the rows of objects that are faults, if the row cache does not have them.
    case fault
    /// Reading the members of relationships.
    case relationship
    /// Reading a value that is stored in a file of its own.
    case externalData = "external_data"
    /// Saving changes to the stores, including waiting for their locks.
    case save

    /// The index in `allCases`. A switch takes less time than hashing the raw value.
    var index: Int {
        switch self {
        case .open: 0
        case .migrate: 1
        case .fetch: 2
        case .count: 3
        case .dictionaries: 4
        case .fault: 5
        case .relationship: 6
        case .externalData: 7
        case .save: 8
        }
    }

    /// The operation as the subject of a sentence.
    var subject: String {
        switch self {
        case .open: "Opening a store"
        case .migrate: "Migrating stores"
        case .fetch: "A fetch"
        case .count: "Counting objects"
        case .dictionaries: "A fetch of dictionaries"
        case .fault: "Reading the rows of faults"
        case .relationship: "Reading relationships"
        case .externalData: "Reading external data"
        case .save: "A save"
        }
    }
}
