import ArgumentParser
import Cairn

/// A column of a query. It shows the property at the end of a path, which starts at a fetched object and
/// follows to-one relationships.
struct QueryColumn {
    /// The end of a path.
    enum Leaf {
        /// The object itself.
        case object
        /// An attribute, or an element within its composite value. `elements` are the element names from the
        /// outside in.
        case attribute(Attribute, elements: [String])
        case toOne(Relationship)
        /// A to-many relationship, shown by its members or their number.
        case toMany(Relationship)
    }

    /// The heading of the column: the path, or `object`.
    let heading: String
    /// The to-one relationships before the leaf, in order.
    let steps: [Relationship]
    let leaf: Leaf

    /// Resolves a path that the user wrote. `SELF` means the object itself.
    ///
    /// - Throws: ``ToolFailure`` for a path through a to-many or a value, or to a transient or fetched
    ///   property; `GraphError.unknownProperty`.
    init(_ path: String, of entity: Entity) throws {
        guard path != "SELF" else {
            self.init(object: "object")
            return
        }
        let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        var steps: [Relationship] = []
        var current = entity
        for (index, name) in names.enumerated() {
            let rest = names[(index + 1)...]
            switch try current.queried(name) {
            case .attribute(let attribute):
                guard !attribute.isTransient else { throw Self.notStored(path, name, current) }
                self.init(
                    heading: path, steps: steps,
                    leaf: .attribute(attribute, elements: try attribute.elements(rest)))
                return
            case .fetchedProperty: throw Self.notStored(path, name, current)
            case .relationship(let relationship):
                guard !relationship.isTransient else { throw Self.notStored(path, name, current) }
                guard !rest.isEmpty else {
                    self.init(
                        heading: path, steps: steps,
                        leaf: relationship.isToMany ? .toMany(relationship) : .toOne(relationship))
                    return
                }
                guard !relationship.isToMany else {
                    throw ToolFailure(
                        "“\(path)” is not a column: \(current.name).\(name) has several members."
                            + " Select “\(names[...index].joined(separator: "."))” with --members, or query"
                            + " \(relationship.destination.name).")
                }
                steps.append(relationship)
                current = relationship.destination
            }
        }
        self.init(object: path)
    }

    private init(object heading: String) {
        self.init(heading: heading, steps: [], leaf: .object)
    }

    private init(heading: String, steps: [Relationship], leaf: Leaf) {
        self.heading = heading
        self.steps = steps
        self.leaf = leaf
    }

    /// Returns the default columns of an entity: the object, and each stored property.
    static func all(of entity: Entity) -> [QueryColumn] {
        [QueryColumn(object: "object")]
            + entity.properties.compactMap { property in
                let leaf: Leaf
                switch property {
                case .attribute(let attribute) where !attribute.isTransient:
                    leaf = .attribute(attribute, elements: [])
                case .relationship(let relationship) where !relationship.isTransient:
                    leaf = relationship.isToMany ? .toMany(relationship) : .toOne(relationship)
                case .attribute, .relationship, .fetchedProperty: return nil
                }
                return QueryColumn(heading: property.name, steps: [], leaf: leaf)
            }
    }

    /// Returns whether the column's cells are numbers. To-manys count if they are shown by the number of
    /// their members.
    func isNumeric(memberLimit: Int) -> Bool {
        switch leaf {
        case .attribute(let attribute, let elements): elements.isEmpty && attribute.type.isNumeric
        case .toMany: memberLimit == 0
        case .object, .toOne: false
        }
    }

    private static func notStored(_ path: String, _ name: String, _ entity: Entity) -> ToolFailure {
        ToolFailure(
            "“\(path)” is not a column: \(entity.name).\(name) is transient or fetched, so stores do not"
                + " contain its values.")
    }
}

extension Entity {
    fileprivate func queried(_ name: String) throws(GraphError) -> Property {
        if let property = property(named: name) { return property }
        throw .unknownProperty(
            entity: self.name, name: name,
            nearest: NearestName.of(name, among: properties.map(\.name)))
    }
}

extension Attribute {
    /// Returns the names, which lead to an element within the attribute's composite value.
    fileprivate func elements(_ names: ArraySlice<String>) throws -> [String] {
        var description = composite
        for name in names {
            guard let current = description else {
                throw ToolFailure(
                    "\(entity.name).\(self.name) has no “\(name)”, because values of its type,"
                        + " \(type), have no parts.")
            }
            guard let element = current.elements.first(where: { $0.name == name }) else {
                throw GraphError.unknownProperty(
                    entity: current.name, name: name,
                    nearest: NearestName.of(name, among: current.elements.map(\.name)))
            }
            description = element.compositeName.flatMap { entity.model.composite(named: $0) }
        }
        return Array(names)
    }
}

/// The content of one column for one object.
enum QueryCell {
    /// A value, or the ID of a to-one relationship's destination.
    case value(Value)
    /// The number of members of a to-many relationship, and the IDs of the first members.
    case members(count: Int, first: [ObjectID])
}

/// The number of members of a to-many relationship that are listed: a number, or `all`.
struct MemberLimit: ExpressibleByArgument, CustomStringConvertible {
    let count: Int

    init(_ count: Int) { self.count = count }

    init?(argument: String) {
        if argument == "all" {
            count = .max
        } else if let count = Int(argument), count >= 0 {
            self.count = count
        } else {
            return nil
        }
    }

    var description: String { count == .max ? "all" : "\(count)" }
}
