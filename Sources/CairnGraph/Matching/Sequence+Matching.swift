import CairnModel

/// Predicates and sort descriptors on the objects of arrays, of the results of fetches, and of sets.
extension Sequence where Element: ManagedObject {
    /// Returns the objects for which a predicate holds, in their order, by the values that they have now.
    ///
    /// The predicate means what it means in a fetch, on every engine, and transient attributes can be
    /// compared too. Unsaved values count, those of related objects included. The values of faults, and
    /// what the predicate reads of related objects, are fetched for many objects together.
    ///
    /// - Throws: `.predicate` if the predicate does not fit the entity of one of the objects, has a
    ///   variable without a value, or takes too many steps; `.objectGone`, `.store`, `.wrongThread`.
    public func filtered(using predicate: FetchPredicate) throws(GraphError) -> [Element] {
        let objects = Array(self)
        let answers = try ObjectMatcher(predicate).matches(among: objects)
        return zip(objects, answers).compactMap { $1 ? $0 : nil }
    }

    /// Returns the objects in the order of sort descriptors, the first one deciding, by the values that
    /// they have now.
    ///
    /// Values are ordered as in a fetch; transient attributes can be sorted by too. Objects that no
    /// descriptor tells apart stay in the order that they have. Fetches as ``filtered(using:)`` does.
    ///
    /// - Throws: `.predicate` for a key path that the entity of one of the objects does not have, or whose
    ///   values have no order; `.objectGone`, `.store`, `.wrongThread`.
    public func sorted(using descriptors: [FetchSortDescriptor]) throws(GraphError) -> [Element] {
        let objects = Array(self)
        return try ObjectArranger(descriptors: descriptors).sortedIndices(of: objects)
            .map { objects[$0] }
    }
}

extension Set where Element: ManagedObject {
    /// Returns the objects for which a predicate holds.
    ///
    /// - Throws: as the form of sequences, which says more.
    public func filtered(using predicate: FetchPredicate) throws(GraphError) -> Set<Element> {
        let kept: [Element] = try Array(self).filtered(using: predicate)
        return Set(kept)
    }

    /// Returns the objects in the order of sort descriptors. Objects that no descriptor tells apart are in
    /// the order of their IDs, as in a fetch.
    ///
    /// - Throws: as the form of sequences, which says more.
    public func sorted(using descriptors: [FetchSortDescriptor]) throws(GraphError) -> [Element] {
        let byID = sorted { ValueOrder.order($0.objectID, $1.objectID) < 0 }
        return try byID.sorted(using: descriptors)
    }
}

extension ObjectSet {
    /// Returns the members for which a predicate holds.
    ///
    /// - Throws: as `filtered(using:)` of sequences.
    public func filtered(using predicate: FetchPredicate) throws(GraphError) -> Set<Element> {
        Set(try owner.presentMembers(binding).filtered(using: predicate) as [Element])
    }

    /// Returns the members in the order of sort descriptors. Members that no descriptor tells apart are in
    /// the order of their IDs, as in a fetch.
    ///
    /// - Throws: as `sorted(using:)` of sequences.
    public func sorted(using descriptors: [FetchSortDescriptor]) throws(GraphError) -> [Element] {
        let members: [Element] = try owner.presentMembers(binding)
        return try Set(members).sorted(using: descriptors)
    }
}

extension OrderedObjects {
    /// Returns the members for which a predicate holds, in their order.
    ///
    /// - Throws: as `filtered(using:)` of sequences.
    public func filtered(using predicate: FetchPredicate) throws(GraphError) -> [Element] {
        try owner.presentMembers(binding).filtered(using: predicate)
    }

    /// Returns the members in the order of sort descriptors. Members that no descriptor tells apart stay in
    /// the order that they have.
    ///
    /// - Throws: as `sorted(using:)` of sequences.
    public func sorted(using descriptors: [FetchSortDescriptor]) throws(GraphError) -> [Element] {
        try owner.presentMembers(binding).sorted(using: descriptors)
    }
}

extension ManagedObject {
    /// The members of a to-many at this moment.
    ///
    /// - Throws: `.objectGone` if the object belongs to no context; `.wrongThread`, `.store`.
    fileprivate final func presentMembers<Element: ManagedObject>(
        _ binding: RelationshipBinding
    ) throws(GraphError) -> [Element] {
        try checkTurn(binding.name)
        guard let owner else { throw .objectGone(objectID) }
        return try readMembers(binding).current.compactMap {
            owner.registeredOrFault($0) as? Element
        }
    }
}
