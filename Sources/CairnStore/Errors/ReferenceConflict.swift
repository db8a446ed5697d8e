import CairnModel

/// References that a save would leave in a store although they lead to no object, or to an object that does
/// not lead back.
///
/// Reported for a relationship with an inverse. The members are the objects at the other end.
public struct ReferenceConflict: Sendable, Hashable {
    /// What is wrong with the references.
    public enum Reason: Sendable, Hashable {
        /// The save deletes the object, but the members refer to it and stay. Others saved these
        /// references after the object's relationship was read.
        case deleted
        /// The store does not contain the object that the save makes the members refer to, because others
        /// deleted it.
        case missing
        /// The relationship is one-to-one. The members refer to the object, but after the save the object
        /// refers to another object or to none.
        case oneSided
        /// The relationship must have members, and would have too few, because others took members away, too.
        /// The members are those that the save takes away.
        case tooFewMembers
    }

    /// What is wrong with the references.
    public var reason: Reason
    /// The object that the members refer to.
    public var object: ObjectID
    /// The name of the object's entity.
    public var entity: String
    /// The name of the object's relationship that the members belong to.
    public var relationship: String
    /// The objects that refer to ``object``, or referred to it before the save.
    public var members: [ObjectID]

    /// Creates a conflict for an engine's `prepare` or `commit` to report.
    public init(
        _ reason: Reason, object: ObjectID, entity: String, relationship: String,
        members: [ObjectID]
    ) {
        self.reason = reason
        self.object = object
        self.entity = entity
        self.relationship = relationship
        self.members = members
    }
}

extension ReferenceConflict: CustomStringConvertible {
    /// The object, the relationship, the first members, and what is wrong. Contains no values.
    public var description: String {
        let (limit, count) = (3, members.count)
        let named = members.prefix(limit).map(\.description).joined(separator: ", ")
        let list = count <= limit ? named : "\(named) and \(count - limit) more"
        let (refer, verb) = count == 1 ? ("refers", "is") : ("refer", "are")
        return switch reason {
        case .deleted:
            "\(entity) \(object) would be deleted while \(list) \(verb) in its relationship"
                + " “\(relationship)”"
        case .missing:
            "\(entity) \(object) has since been deleted, but \(list) would be in its relationship"
                + " “\(relationship)”"
        case .oneSided:
            "\(list) \(refer) to \(entity) \(object), whose relationship “\(relationship)” would"
                + " lead elsewhere"
        case .tooFewMembers:
            "\(entity) \(object) would have too few members in its relationship “\(relationship)”"
                + " without \(list)"
        }
    }
}
