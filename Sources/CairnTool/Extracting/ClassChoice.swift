/// The choice of the classes in a program's sources from which a model is made.
struct ClassChoice {
    private let classes: [SourceClass]
    private let byName: [String: SourceClass]

    init(_ classes: [SourceClass]) {
        self.classes = classes
        byName = Dictionary(
            classes.map { ($0.ownName, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the names of the classes with `@Entity`. If there are no such classes, returns the names of
    /// all classes that inherit from `ManagedObject`.
    ///
    /// - Throws: ``ToolFailure`` if there is no such class, or if one of them is private.
    func all() throws(ToolFailure) -> [String] {
        let entities = classes.filter(\.isEntity)
        let found =
            entities.isEmpty
            ? classes.filter { inheritsFromManagedObject($0) && !$0.isGeneratedPart } : entities
        guard !found.isEmpty else {
            throw ToolFailure(
                "The sources contain no class with @Entity and no class that inherits from ManagedObject."
            )
        }
        for entity in found { try check(entity) }
        return found.map(\.name)
    }

    /// Returns the full names of the given classes, which include the enclosing types.
    ///
    /// - Throws: ``ToolFailure`` if there is no class with one of the names, or if one of the classes is
    ///   private.
    func named(_ names: [String]) throws(ToolFailure) -> [String] {
        var found: [String] = []
        for name in names {
            guard let entity = classes.first(where: { $0.name == name }) ?? byName[name] else {
                let known = classes.filter(inheritsFromManagedObject).map(\.name)
                throw ToolFailure(
                    "The sources contain no class “\(name)”. The classes of managed objects are: "
                        + (known.isEmpty ? "none" : known.sorted().joined(separator: ", ")) + ".")
            }
            try check(entity)
            found.append(entity.name)
        }
        return found
    }

    private func check(_ entity: SourceClass) throws(ToolFailure) {
        if entity.isPrivate {
            throw ToolFailure(
                "The class \(entity.name) is private to its file. Make it internal or public,"
                    + " or name the other classes with --class.")
        }
    }

    private func inheritsFromManagedObject(_ entity: SourceClass) -> Bool {
        var seen: Set<String> = []
        var next = entity.superclass
        while let name = next, seen.insert(name).inserted {
            if name == "ManagedObject" { return true }
            next = byName[name]?.superclass
        }
        return false
    }
}
