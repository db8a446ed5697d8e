/// The members of a collection for which a predicate holds.
public struct BoundSubquery: Sendable, Hashable {
    /// Passes exactly one to-many and ends at objects.
    public var collection: BoundPath
    /// Number of the variable that stands for a member; unique in the whole predicate.
    public var variable: Int
    /// What a member must meet. A path in it starts at the member by
    /// ``BoundPath/Start/variable(_:)``, or at the object under test.
    public var predicate: BoundPredicate

    /// Takes parts that binding checked, or that were rewritten from such.
    public init(collection: BoundPath, variable: Int, predicate: BoundPredicate) {
        self.collection = collection
        self.variable = variable
        self.predicate = predicate
    }
}
