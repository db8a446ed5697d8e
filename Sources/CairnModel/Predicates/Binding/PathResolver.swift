/// Resolves the names of a key path against an entity.
struct PathResolver {
    let entity: Entity
    var start = BoundPath.Start.evaluatedObject
    /// Whether a path may contain transient properties, which exist only in memory.
    var includesTransients = false
    /// How many more references the path may follow. Each of them is a level of recursion.
    var mostReferences = 32

    /// Resolves the names in order. `self` is the object that the path has reached so far.
    func resolve(_ names: [String]) throws(FetchPredicateError) -> BoundPath {
        var path = BoundPath(start: start, leaf: .object)
        var current = entity
        for (index, name) in names.enumerated() {
            if name.lowercased() == "self" { continue }
            if name.hasPrefix("@") {
                try setOperator(name, of: &path, in: names)
                continue
            }
            if case .attribute(let attribute) = path.leaf, let target = attribute.reference {
                try follow(attribute, to: target, Array(names[index...]), of: &path)
                break
            }
            guard case .object = path.leaf else {
                try descend(to: name, of: &path, in: names)
                continue
            }
            guard path.collectionOperator != .count else {
                throw Self.unsupported(names, "A key path must end with @count.")
            }
            switch try property(name, of: current) {
            case .relationship(let relationship):
                path.relationships.append(relationship)
                current = relationship.destination
            case .attribute(let attribute): path.leaf = .attribute(attribute)
            case .fetchedProperty:
                throw Self.unsupported(
                    Array(names[...index]),
                    "A fetched property runs its own fetch, so predicates cannot use it. Run that fetch"
                        + " first, and compare with its result.")
            }
        }
        try Self.checkOperator(of: path, in: names.joined(separator: "."))
        return path
    }

    private func property(
        _ name: String, of entity: Entity
    ) throws(FetchPredicateError) -> Property {
        guard let property = entity.property(named: name) else {
            throw .unknownKey(
                name, entity: entity.name,
                nearest: NearestName.of(name, among: entity.properties.map(\.name)))
        }
        switch property {
        case _ where includesTransients: return property
        case .attribute(let attribute) where attribute.isTransient:
            throw .transientKey(name, entity: entity.name)
        case .relationship(let relationship) where relationship.isTransient:
            throw .transientKey(name, entity: entity.name)
        default: return property
        }
    }

    private func setOperator(
        _ name: String, of path: inout BoundPath, in names: [String]
    ) throws(FetchPredicateError) {
        guard let collectionOperator = BoundPath.CollectionOperator(keyPathName: name) else {
            let known = BoundPath.CollectionOperator.allCases.map(\.keyPathName)
            throw Self.unsupported(names, "Use one of \(known.joined(separator: ", ")).")
        }
        guard path.collectionOperator == nil else {
            throw Self.unsupported(names, "Use only one collection operator in a key path.")
        }
        guard path.isToMany else {
            throw .typeMismatch(
                expression: names.joined(separator: "."),
                detail: "\(name) must come after a to-many relationship")
        }
        path.collectionOperator = collectionOperator
    }

    /// Resolves the names that follow a reference, from the object to which it leads.
    private func follow(
        _ reference: Attribute, to target: ReferenceTarget, _ names: [String],
        of path: inout BoundPath
    ) throws(FetchPredicateError) {
        guard mostReferences > 0 else {
            throw Self.unsupported(names, "A key path can follow at most 32 references.")
        }
        var rest = try PathResolver(
            entity: target.entity, includesTransients: includesTransients,
            mostReferences: mostReferences - 1
        ).resolve(names)
        if let summary = rest.collectionOperator {
            guard path.collectionOperator == nil else {
                throw Self.unsupported(names, "Use only one collection operator in a key path.")
            }
            (path.collectionOperator, rest.collectionOperator) = (summary, nil)
        }
        path.leaf = .referenced(reference, rest)
    }

    /// Resolves a name that follows an attribute, which must be an element of its composite.
    private func descend(
        to name: String, of path: inout BoundPath, in names: [String]
    ) throws(FetchPredicateError) {
        let attributePath: (attribute: Attribute, elements: [String])? =
            switch path.leaf {
            case .object: nil
            case .attribute(let attribute): (attribute, [])
            case .element(let attribute, let elements, _): (attribute, elements)
            case .referenced: nil
            }
        guard let (attribute, elements) = attributePath,
            let composite = Self.compositeName(of: attribute, elements)
                .flatMap(entity.model.composite(named:))
        else {
            throw .typeMismatch(
                expression: names.joined(separator: "."),
                detail: "“\(name)” comes after an attribute that is not a composite")
        }
        guard let element = composite.elements.first(where: { $0.name == name }) else {
            throw .unknownKey(
                name, entity: composite.name,
                nearest: NearestName.of(name, among: composite.elements.map(\.name)))
        }
        path.leaf = .element(attribute, elements + [name], element.type)
    }

    /// Returns the name of the composite that is the type of the last element, or of the attribute if there
    /// are no elements. Returns `nil` if that type is not a composite.
    private static func compositeName(of attribute: Attribute, _ elements: [String]) -> String? {
        var name = attribute.description.compositeName
        for element in elements {
            let composite = name.flatMap(attribute.entity.model.composite(named:))
            name = composite?.elements.first { $0.name == element }?.compositeName
        }
        return name
    }

    /// Checks that the path's operator can be applied to the values that it reaches.
    static func checkOperator(
        of path: BoundPath, in expression: @autoclosure () -> String
    ) throws(FetchPredicateError) {
        let type = path.leafType
        switch path.collectionOperator {
        case nil, .count: break
        case .sum, .average:
            guard type.isNumeric else {
                throw .typeMismatch(
                    expression: expression(), detail: "only numbers can be summed or averaged")
            }
        case .min, .max:
            guard type.isOrdered else {
                throw .typeMismatch(
                    expression: expression(), detail: "its values have no order")
            }
        }
    }

    private static func unsupported(_ names: [String], _ advice: String) -> FetchPredicateError {
        .unsupported(expression: names.joined(separator: "."), advice: advice)
    }
}

/// Suggests a correction for a misspelt name.
package enum NearestName {
    /// Returns the candidate with the smallest edit distance, or `nil` if no candidate is similar.
    package static func of(_ name: String, among candidates: [String]) -> String? {
        let ranked = candidates.map { ($0, distance(name.lowercased(), $0.lowercased())) }
        guard let best = ranked.min(by: { $0.1 < $1.1 }) else { return nil }
        return best.1 <= max(2, name.count / 2) ? best.0 : nil
    }

    /// Returns the Levenshtein distance of the first 64 letters.
    private static func distance(_ left: String, _ right: String) -> Int {
        let (a, b) = (Array(left.prefix(64)), Array(right.prefix(64)))
        var row = Array(0...b.count)
        for (i, letter) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in b.enumerated() {
                let substituted = diagonal + (letter == other ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(substituted, row[j] + 1, diagonal + 1)
            }
        }
        return row[b.count]
    }
}
