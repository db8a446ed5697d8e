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
