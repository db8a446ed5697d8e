import CairnModel
import CairnStack

/// Filtering and sorting objects in arrays, fetch results and sets, with predicates and sort
/// descriptors.
extension Sequence where Element: ManagedObject {
    /// Returns the objects for which a predicate is true, in their original order, based on their
    /// current values.
    ///
    /// The predicate has the same meaning as in a fetch with any engine, and it can also compare
    /// transient attributes. Unsaved values are used, including those of related objects. The values of
    /// faults, and the related objects that the predicate reads, are fetched in batches.
    ///
    /// - Throws: `.predicate` if the predicate does not fit the entity of an object, contains a variable
    ///   without a value, or takes too many steps; `.objectGone`, `.store`, `.wrongThread`.
    public func filtered(using predicate: FetchPredicate) throws(GraphError) -> [Element] {
        let objects = Array(self)
        let answers = try ObjectMatcher(predicate).matches(among: objects)
        return zip(objects, answers).compactMap { $1 ? $0 : nil }
    }

    /// Returns the objects sorted by sort descriptors, based on their current values. The first
    /// descriptor has the highest priority.
    ///
    /// Values are ordered as in a fetch, and transient attributes can also be used. Objects that compare
    /// as equal stay in their original order. Values are fetched as in ``filtered(using:)``.
    ///
    /// - Throws: `.predicate` for a key path that the entity of an object does not have, or whose values
    ///   have no order; `.objectGone`, `.store`, `.wrongThread`.
    public func sorted(using descriptors: [FetchSortDescriptor]) throws(GraphError) -> [Element] {
        let objects = Array(self)
        return try ObjectArranger(descriptors: descriptors).sortedIndices(of: objects)
            .map { objects[$0] }
    }
}

extension Set where Element: ManagedObject {
    /// Returns the objects for which a predicate is true.
    ///
    /// - Throws: The same errors as `filtered(using:)` of sequences, whose documentation also applies
    ///   here.
    public func filtered(using predicate: FetchPredicate) throws(GraphError) -> Set<Element> {
        let kept: [Element] = try Array(self).filtered(using: predicate)
        return Set(kept)
    }

    /// Returns the objects sorted by sort descriptors. As in a fetch, objects that compare as equal are
    /// in the order of their IDs.
    ///
    /// - Throws: The same errors as `sorted(using:)` of sequences, whose documentation also applies
    ///   here.
    public func sorted(using descriptors: [FetchSortDescriptor]) throws(GraphError) -> [Element] {
        let byID = sorted { ValueOrder.order($0.objectID, $1.objectID) < 0 }
        return try byID.sorted(using: descriptors)
    }
}

extension ObjectSet {
    /// Returns the members for which a predicate is true.
    ///
    /// - Throws: The same errors as `filtered(using:)` of sequences.
    public func filtered(using predicate: FetchPredicate) throws(GraphError) -> Set<Element> {
        Set(try owner.presentMembers(binding).filtered(using: predicate) as [Element])
    }

    /// Returns the members sorted by sort descriptors. As in a fetch, members that compare as equal are
    /// in the order of their IDs.
    ///
    /// - Throws: The same errors as `sorted(using:)` of sequences.
    public func sorted(using descriptors: [FetchSortDescriptor]) throws(GraphError) -> [Element] {
        let members: [Element] = try owner.presentMembers(binding)
        return try Set(members).sorted(using: descriptors)
    }
}

extension OrderedObjects {
    /// Returns the members for which a predicate is true, in their order.
    ///
    /// - Throws: The same errors as `filtered(using:)` of sequences.
    public func filtered(using predicate: FetchPredicate) throws(GraphError) -> [Element] {
        try owner.presentMembers(binding).filtered(using: predicate)
    }

    /// Returns the members sorted by sort descriptors. Members that compare as equal stay in their
    /// original order.
    ///
    /// - Throws: The same errors as `sorted(using:)` of sequences.
    public func sorted(using descriptors: [FetchSortDescriptor]) throws(GraphError) -> [Element] {
        try owner.presentMembers(binding).sorted(using: descriptors)
    }
}

extension ManagedObject {
    /// Returns the current members of a to-many relationship.
    ///
    /// - Throws: `.objectGone` if the object does not belong to a context; `.wrongThread`, `.store`;
    ///   `.classDoesNotFit`, `.classTooLate` if a member is not an instance of the members' class.
    fileprivate final func presentMembers<Element: ManagedObject>(
        _ binding: RelationshipBinding
    ) throws(GraphError) -> [Element] {
        try checkTurn(binding.name)
        guard let owner else { throw .objectGone(objectID, absence) }
        var members: [Element] = []
        for id in try readMembers(binding).current {
            if let member = try owner.registeredOrFault(id, as: Element.self) {
                members.append(member)
            }
        }
        return members
    }
}
