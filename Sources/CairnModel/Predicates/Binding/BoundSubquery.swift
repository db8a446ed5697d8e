/// The members of a collection for which a predicate holds.
public struct BoundSubquery: Sendable, Hashable {
    /// The path of the collection. It contains exactly one to-many and ends at objects.
    public var collection: BoundPath
    /// The number of the variable for a member, which is unique within the whole predicate.
    public var variable: Int
    /// The condition on a member. Paths in it start at the member, as ``BoundPath/Start/variable(_:)``, or at
    /// the object that the whole predicate is evaluated for.
    public var predicate: BoundPredicate

    /// Creates a subquery. The parts must be the result of binding, or be rewritten from such parts. This is
    /// not checked.
    package init(collection: BoundPath, variable: Int, predicate: BoundPredicate) {
        self.collection = collection
        self.variable = variable
        self.predicate = predicate
    }
}
