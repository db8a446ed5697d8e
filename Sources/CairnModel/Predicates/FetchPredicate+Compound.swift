/// Core Data's name of the predicates that are made of other predicates. A predicate is one type here.
public typealias CompoundPredicate = FetchPredicate

extension FetchPredicate {
    /// Creates a predicate that always holds, or never.
    public init(value: Bool) {
        self = .constant(value)
    }

    /// Creates a predicate that holds if all parts hold. Without a part it always holds.
    public init(andPredicateWithSubpredicates subpredicates: [FetchPredicate]) {
        self = .and(subpredicates)
    }

    /// Creates a predicate that holds if some part holds. Without a part it never holds.
    public init(orPredicateWithSubpredicates subpredicates: [FetchPredicate]) {
        self = .or(subpredicates)
    }

    /// Creates a predicate that holds if another one does not hold.
    public init(notPredicateWithSubpredicate subpredicate: FetchPredicate) {
        self = .not(subpredicate)
    }
}
