/// A call that Cairn makes to a store. A test uses it to say which calls should fail or be held.
public enum StoreOperation: String, Sendable, Hashable, CaseIterable {
    /// Opening or creating the store.
    case open
    /// Reading the store's metadata.
    case metadata
    /// Taking a snapshot to read from.
    case snapshot
    /// Getting the generation of the newest state.
    case newestGeneration
    /// Starting a fetch. A fetch that several threads read in parts is one call.
    case fetch
    /// Reading the next batch of rows or IDs of a fetch.
    case nextBatch
    /// Counting matches.
    case count
    /// Reading the row of one object, for example to fire a fault.
    case row
    /// Reading the rows of several objects.
    case rows
    /// Reading the members of to-many relationships.
    case relationship
    /// Reading a value that is stored outside of its row.
    case externalData
    /// Finding the objects that differ between two states. The coordinator treats a failure as “not known”.
    case changes
    /// Reserving keys for new objects, within a save or separately.
    case reserveKeys
    /// Beginning a save, which takes the write lock.
    case beginSave
    /// Checking and writing a save. Its changes are not visible to other readers yet.
    case prepare
    /// Committing a save. If a commit fails or is held, nothing has been saved yet.
    case commit
    /// Returning the result of a commit. If this fails or is held, the save has already taken place.
    ///
    /// The store contract allows only one error here, `.commitOutcomeUnknown`, which is the default. If the
    /// save has a name (``CairnObjects/ManagedObjectContext/save(reporting:named:)``) and the store is durable,
    /// the coordinator then asks the store whether the save took place, which is the operation ``outcome``.
    /// Otherwise, the save throws `.saveOutcomeUnknown`.
    case commitAnswer
    /// Asking whether a save took place.
    case outcome
    /// Making all commits durable, so that they survive a power failure.
    case synchronize
    /// Closing the store. The store is closed even if this call fails.
    case close
}

extension StoreOperation {
    /// Whether the operation may throw `.cancelled` if its task is cancelled while the operation waits.
    var isCancellable: Bool {
        switch self {
        case .open, .beginSave, .outcome, .fetch, .nextBatch, .count: true
        default: false
        }
    }

    /// Whether the operation may throw `.deadlineExceeded`. A commit that has begun ignores the deadline.
    var observesDeadline: Bool {
        switch self {
        case .commit, .commitAnswer, .close: false
        default: true
        }
    }
}
