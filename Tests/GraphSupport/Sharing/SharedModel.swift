import Cairn

/// A model with one group of entities for each form of relationship that several programs can break together.
///
/// Each name begins with a letter that depends on the number of the model. The letters decide the order of
/// entities, slots and pairs, so that models with different numbers store the same objects differently.
package struct SharedModel: Sendable {
    /// A form of relationship, with its entities.
    package enum Shape: String, CaseIterable, Codable, Sendable {
        /// A cascade to members that require their owner. Some members have a subentity.
        case cascade
        /// A to-many that is nullified.
        case nullify
        /// A to-many that denies deletion.
        case deny
        /// A to-many without an action.
        case noAction
        /// A one-to-one that is nullified.
        case pair
        /// A one-to-one with a cascade to an object that requires it.
        case requiredPair
        /// A many-to-many.
        case manyToMany
        /// An ordered to-many with a cascade.
        case ordered
        /// An ordered to-many whose members require their owner, which is nullified.
        case required
        /// A relationship to objects of the cascade, without an inverse.
        case oneWay
        /// Objects that contain objects of the same entity, with a cascade.
        case tree
    }

    package let model: ManagedObjectModel
    /// The shape of each entity, by name.
    package let shapes: [String: Shape]
    package let number: Int
    /// The name of the integer attribute that identifies an object in all programs.
    package let key: String
    /// The names of the integer attributes that programs change.
    package let attributes: [String]

    /// Configurations that are subsets of the model: the groups with an even and with an odd index, and a
    /// few in both.
    package static let subsets = ["Even", "Odd"]

    /// A mistake in the model of the programs, which a harness must find with the right model.
    package enum Mistake: Sendable {
        /// Every deletion leaves references to the deleted object.
        case deletesWithoutAction
        /// A deletion that is denied takes place.
        case nullifiesInsteadOfDenying
        /// The two sides of a one-to-one relationship are set separately.
        case knowsNoInverse
    }

    package init(number: Int, mistake: Mistake? = nil) throws {
        self.number = number
        let names = Names(number: number)
        key = names.property("number")
        attributes = [names.property("a"), names.property("b")]
        var builder = Builder(
            names: names, mistake: mistake,
            common: [
                .attribute(key, .integer64, isOptional: false),
                .attribute(attributes[0], .integer64), .attribute(attributes[1], .integer64),
            ])
        for shape in Shape.allCases { builder.add(shape) }
        var description = ModelDescription(builder.entities)
        let shared: Set<Shape> = [.cascade, .oneWay, .tree]
        for (index, name) in Self.subsets.enumerated() {
            let kept = Set(
                Shape.allCases.enumerated().filter {
                    $0.offset % 2 == index || shared.contains($0.element)
                }
                .map(\.element))
            description.configurations[name] = builder.entities.map(\.name)
                .filter { builder.shapes[$0].map(kept.contains) ?? false }
        }
        model = try ManagedObjectModel(description)
        shapes = builder.shapes
    }

    /// Returns the entities that a program with the configuration can use, of some shapes, sorted by name.
    package func entities(of wanted: Set<Shape>, in configuration: String? = nil) throws -> [Entity]
    {
        try model.entities(forConfiguration: configuration)
            .filter { shapes[$0.name].map(wanted.contains) ?? false }
    }
}

extension SharedModel {
    /// Puts a letter before each name.
    private struct Names {
        let number: Int
        private var count = 0

        init(number: Int) { self.number = number }

        private func letter(_ name: String) -> String {
            // A different letter for each name and number. Any function with enough variety is good.
            let sum = name.utf8.reduce(UInt64(number) &* 7919) { ($0 &* 31) &+ UInt64($1) }
            return String(UnicodeScalar(UInt8(97 + (sum >> 3) % 26)))
        }

        func property(_ name: String) -> String {
            letter(name) + name.prefix(1).uppercased() + name.dropFirst()
        }

        func entity(_ name: String) -> String { letter(name).uppercased() + name }
    }

    private struct Builder {
        let names: Names
        let mistake: Mistake?
        let common: [PropertyDescription]
        var entities: [EntityDescription] = []
        var shapes: [String: Shape] = [:]

        private func entity(
            _ name: String, superentity: String? = nil, _ own: [PropertyDescription]
        ) -> EntityDescription {
            EntityDescription(
                names.entity(name), superentity: superentity.map(names.entity),
                superentity == nil ? common + own : own)
        }

        private func many(
            _ name: String, _ destination: String, _ inverse: String?,
            _ rule: DeleteRule = .nullify,
            isOrdered: Bool = false
        ) -> PropertyDescription {
            .toMany(
                names.property(name), names.entity(destination),
                inverse: inverse.map(names.property), isOrdered: isOrdered,
                deleteRule: effective(rule))
        }

        private func one(
            _ name: String, _ destination: String, _ inverse: String?,
            _ rule: DeleteRule = .nullify,
            isRequired: Bool = false
        ) -> PropertyDescription {
            .toOne(
                names.property(name), names.entity(destination),
                inverse: mistake == .knowsNoInverse && ["Head", "Tail"].contains(destination)
                    ? nil : inverse.map(names.property),
                isOptional: !isRequired, deleteRule: effective(rule))
        }

        private func effective(_ rule: DeleteRule) -> DeleteRule {
            switch mistake {
            case .deletesWithoutAction: .noAction
            case .nullifiesInsteadOfDenying: rule == .deny ? .nullify : rule
            case .knowsNoInverse, nil: rule
            }
        }

        mutating func add(_ shape: Shape) {
            let added = entities(of: shape)
            entities += added
            for entity in added { shapes[entity.name] = shape }
        }

        private func entities(of shape: Shape) -> [EntityDescription] {
            switch shape {
            case .cascade:
                [
                    entity("Owner", [many("parts", "Part", "owner", .cascade)]),
                    entity("Part", [one("owner", "Owner", "parts", isRequired: true)]),
                    entity(
                        "Screw", superentity: "Part", [.attribute(names.property("c"), .integer64)]),
                ]
            case .nullify:
                [
                    entity("Shelf", [many("books", "Book", "shelf")]),
                    entity("Book", [one("shelf", "Shelf", "books")]),
                ]
            case .deny:
                [
                    entity("Team", [many("players", "Player", "team", .deny)]),
                    entity("Player", [one("team", "Team", "players")]),
                ]
            case .noAction:
                [
                    entity("Host", [many("guests", "Guest", "host", .noAction)]),
                    entity("Guest", [one("host", "Host", "guests")]),
                ]
            case .pair:
                [
                    entity("Head", [one("tail", "Tail", "head")]),
                    entity("Tail", [one("head", "Head", "tail")]),
                ]
            case .requiredPair:
                [
                    entity("Door", [one("lock", "Lock", "door", .cascade)]),
                    entity("Lock", [one("door", "Door", "lock", isRequired: true)]),
                ]
            case .manyToMany:
                [
                    entity("Pupil", [many("courses", "Course", "pupils")]),
                    entity("Course", [many("pupils", "Pupil", "courses")]),
                ]
            case .ordered:
                [
                    entity("List", [many("lines", "Line", "list", .cascade, isOrdered: true)]),
                    entity("Line", [one("list", "List", "lines")]),
                ]
            case .required:
                [
                    entity("Album", [many("songs", "Song", "album", isOrdered: true)]),
                    entity("Song", [one("album", "Album", "songs", isRequired: true)]),
                ]
            case .oneWay:
                [entity("Pin", [one("target", "Owner", nil), many("marks", "Part", nil)])]
            case .tree:
                [
                    entity(
                        "Folder",
                        [
                            one("parent", "Folder", "children"),
                            many("children", "Folder", "parent", .cascade),
                        ])
                ]
            }
        }
    }
}

extension Relationship {
    /// Whether the stored relationship may lead to a missing object: it has no inverse, or its inverse has
    /// the delete rule noAction.
    package var mayDangle: Bool { inverse.map { $0.deleteRule == .noAction } ?? true }
}
