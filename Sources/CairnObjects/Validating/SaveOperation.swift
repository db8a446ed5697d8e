/// The operation that a save performs on an object.
public enum SaveOperation: Sendable, Hashable {
    /// The save adds the object to a store.
    case insertion
    /// The save changes the stored object.
    case update
    /// The save removes the stored object.
    case deletion
}
