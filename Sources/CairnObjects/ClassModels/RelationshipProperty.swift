/// The type of a property that is a relationship: an optional class, ``Members`` or ``OrderedMembers``.
public protocol RelationshipProperty {}

extension Optional: RelationshipProperty where Wrapped: ManagedObject {}
extension Members: RelationshipProperty {}
extension OrderedMembers: RelationshipProperty {}
