/// The reason why an object has no values. See ``GraphError/objectGone(_:_:)``.
public enum AbsenceReason: Sendable, Hashable {
    /// The context deleted the object, or undid its insertion.
    case deletedHere
    /// Another context or another program deleted the object, and the context has learned of it.
    case deletedElsewhere
    /// The object's context was reset or deallocated. The object may still be in its store.
    case leftContext
    /// The store does not contain the object. It was deleted elsewhere, or it was never saved.
    case notInStore
}
