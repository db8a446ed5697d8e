import CairnModel

/// Finds the entities and properties of a model by their names in a file, where names are case-folded.
struct NameTable {
    private let entities: FoldedNames
    /// The properties of each entity. The entity with number 1 has index 0.
    private let properties: [FoldedNames]
    private let model: ManagedObjectModel

    init(_ model: ManagedObjectModel) {
        self.model = model
        entities = FoldedNames(model.entities.map(\.name)) { $0.uppercased() }
        properties = model.entities.map { entity in
            FoldedNames(entity.properties.map(\.name)) { $0.lowercased() }
        }
    }

    /// Returns the entity with a name in a file, or `nil` if there is no such entity.
    func entity(_ name: String) -> Entity? {
        entities.name(of: name).flatMap { model.entity(named: $0) }
    }

    /// Returns the name of an entity in a file. The name is in upper case, unless another entity's name is
    /// the same in upper case.
    func name(of entity: Entity) -> String { entities.folded(entity.name) }

    /// Returns the property of an entity with a name in a file, or `nil` if there is no such property.
    func property(_ name: String, of entity: Entity) -> Property? {
        properties[Int(entity.number.rawValue) - 1].name(of: name)
            .flatMap { entity.property(named: $0) }
    }

    /// Returns the name of a property in a file. The name is in lower case, unless another property's name is
    /// the same in lower case.
    func name(of property: String, of entity: Entity) -> String {
        properties[Int(entity.number.rawValue) - 1].folded(property)
    }
}

/// Names and their folded forms. Names with the same folded form are not folded.
private struct FoldedNames {
    private var byFile: [String: String] = [:]
    private var byName: [String: String] = [:]

    init(_ names: [String], _ fold: (String) -> String) {
        let groups = Dictionary(grouping: names, by: fold)
        for (folded, names) in groups {
            for name in names {
                let inFile = names.count == 1 ? folded : name
                byFile[inFile] = name
                byName[name] = inFile
            }
        }
        // A file may contain the exact name. Any other case is accepted if it matches only one name.
        for name in names { byFile[name] = name }
        self.fold = names.isEmpty ? nil : fold("aA") == "AA" ? .upper : .lower
    }

    private enum Fold { case upper, lower }
    private let fold: Fold?

    func name(of text: String) -> String? {
        if let name = byFile[text] { return name }
        switch fold {
        case .upper: return byFile[text.uppercased()]
        case .lower: return byFile[text.lowercased()]
        case nil: return nil
        }
    }

    func folded(_ name: String) -> String { byName[name] ?? name }
}
