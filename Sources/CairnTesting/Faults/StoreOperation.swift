/// A call that Cairn makes to a store. Tests name the calls that are to fail or to be held by it.
public enum StoreOperation: String, Sendable, Hashable, CaseIterable {
    /// Opening or creating the store.
    case open
    /// Reading the store's metadata.
    case metadata
    /// Taking a snapshot to read from.
    case snapshot
    /// Asking for the generation of the newest state.
    case newestGeneration
    /// Starting a fetch. A fetch that several threads read is one call.
    case fetch
    /// Reading the next batch of rows or IDs of a fetch.
    case nextBatch
    /// Counting matches.
    case count
    /// Reading the row of one object, as for a fault.
    case row
    /// Reading the rows of several objects.
    case rows
    /// Reading the members of to-many relationships.
    case relationship
    /// Reading a value that is stored outside of its row.
    case externalData
    /// Asking which objects differ between two states. The coordinator takes a failure as “not known”.
    case changes
    /// Reserving keys for new objects, apart from a save or in one.
    case reserveKeys
    /// Beginning a save: taking the write lock.
    case beginSave
    /// Checking and writing a save, visible to no one yet.
    case prepare
    /// Committing a save. A commit that fails or is held has saved nothing yet.
    case commit
    /// Answering a commit. The save has taken place when the answer fails or is held.
    ///
    /// The only error that the contract of stores allows here is `.commitOutcomeUnknown`, which is the
    /// default. If the save has a name (``CairnGraph/ManagedObjectContext/save(reporting:named:)``) and the store is
    /// durable, the coordinator asks the store whether the save took place, which is the operation
    /// ``outcome``. Otherwise, the save throws `.saveOutcomeUnknown`.
    case commitAnswer
    /// Asking whether a save took place.
    case outcome
    /// Making all commits survive a power cut.
    case synchronize
    /// Closing the store. It is closed even if this fails.
    case close
}

extension StoreOperation {
    /// Whether the operation may end with `.cancelled` if its task is cancelled while it waits.
    var isCancellable: Bool {
        switch self {
        case .open, .beginSave, .outcome, .fetch, .nextBatch, .count: true
        default: false
        }
    }

    /// Whether the operation may end with `.deadlineExceeded`. A commit that has begun goes on.
    var observesDeadline: Bool {
        switch self {
        case .commit, .commitAnswer, .close: false
        default: true
        }
    }
}
