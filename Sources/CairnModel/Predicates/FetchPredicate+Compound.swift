/// The name that Core Data uses for predicates composed of other predicates. In Cairn, all predicates have
/// one type.
public typealias CompoundPredicate = FetchPredicate

extension FetchPredicate {
    /// Creates a predicate that is always true or always false.
    public init(value: Bool) {
        self = .constant(value)
    }

    /// Creates a predicate that is true if all subpredicates are true, or if there are no subpredicates.
    public init(andPredicateWithSubpredicates subpredicates: [FetchPredicate]) {
        self = .and(subpredicates)
    }

    /// Creates a predicate that is true if at least one subpredicate is true. It is false if there are no
    /// subpredicates.
    public init(orPredicateWithSubpredicates subpredicates: [FetchPredicate]) {
        self = .or(subpredicates)
    }

    /// Creates a predicate that is true if the subpredicate is false.
    public init(notPredicateWithSubpredicate subpredicate: FetchPredicate) {
        self = .not(subpredicate)
    }
}
