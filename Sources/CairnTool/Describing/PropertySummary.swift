import Cairn

/// A description of a property's declaration in a model, in words.
struct PropertySummary {
    let name: String
    /// The type of the values, or the destination: `string`, `→ many Book`.
    let type: String
    /// The other declarations as short phrases, in a fixed order.
    let notes: [String]

    init(_ property: Property) {
        name = property.name
        switch property {
        case .attribute(let attribute):
            type = "\(attribute.type)"
            notes = Self.notes(of: attribute.description)
        case .relationship(let relationship):
            let number =
                relationship.isToMany ? (relationship.isOrdered ? "many ordered " : "many ") : ""
            type = "→ " + number + relationship.destination.name
            notes = Self.notes(of: relationship.description)
        case .fetchedProperty(let fetched):
            type = "fetch of \(fetched.description.template.entity)"
            notes =
                fetched.description.template.phrases
                + Self.notes(renamedFrom: fetched.description.renamingIdentifier)
                + Self.notes(of: fetched.description.userInfo)
        }
    }

    // MARK: Attributes

    private static func notes(of attribute: AttributeDescription) -> [String] {
        var notes = [attribute.isOptional ? "optional" : "required"]
        if attribute.isTransient { notes.append("transient") }
        if !attribute.defaultValue.isNull {
            notes.append("default \(ModelText.text(of: attribute.defaultValue))")
        }
        notes += phrases(of: attribute.validationRules)
        if let derivation = attribute.derivation {
            notes.append(
                "derived from \(derivation.expression)"
                    + (derivation.filter.map { " where \($0)" } ?? ""))
        }
        if let composite = attribute.compositeName { notes.append("composite \(composite)") }
        if let transformer = attribute.valueTransformerName {
            notes.append("transformer \(transformer)")
        }
        if let name = attribute.valueClassName { notes.append("class \(name)") }
        if attribute.allowsExternalBinaryDataStorage {
            notes.append("large values in files of their own")
        }
        if attribute.preservesValueInHistoryOnDeletion {
            notes.append("kept in the history of deletions")
        }
        if attribute.isIndexed { notes.append("indexed") }
        if attribute.isIndexedBySpotlight { notes.append("in Spotlight") }
        if attribute.allowsCloudEncryption { notes.append("encrypted on the server") }
        if !attribute.isSyncable { notes.append("not synchronised") }
        return notes + Self.notes(renamedFrom: attribute.renamingIdentifier)
            + Self.notes(hashModifier: attribute.versionHashModifier)
            + Self.notes(of: attribute.userInfo)
    }

    /// Combines a minimum and a maximum of the same kind into one phrase, at the position of the first of the
    /// two.
    private static func phrases(of rules: [ValidationRule]) -> [String] {
        var bounds = Bounds()
        var lengths = Bounds()
        var others: [String] = []
        for rule in rules {
            switch rule {
            case .minimum(let value): bounds.lower = ModelText.text(of: value)
            case .maximum(let value): bounds.upper = ModelText.text(of: value)
            case .minimumLength(let count): lengths.lower = "\(count)"
            case .maximumLength(let count): lengths.upper = "\(count)"
            case .matches(let expression): others.append("matches \(expression)")
            case .predicate(let predicate, let warning):
                others.append("valid if \(predicate)" + (warning.isEmpty ? "" : " (“\(warning)”)"))
            }
        }
        return [bounds.phrase, lengths.phrase.map { $0 + " characters" }].compactMap(\.self)
            + others
    }

    private struct Bounds {
        var lower: String?
        var upper: String?

        /// Returns `nil` if there are no bounds.
        var phrase: String? {
            switch (lower, upper) {
            case (let lower?, let upper?): lower == upper ? lower : "\(lower) to \(upper)"
            case (let lower?, nil): "at least \(lower)"
            case (nil, let upper?): "at most \(upper)"
            case (nil, nil): nil
            }
        }
    }

    // MARK: Relationships

    private static func notes(of relationship: RelationshipDescription) -> [String] {
        var notes = [relationship.isOptional ? "optional" : "required"]
        if relationship.isTransient { notes.append("transient") }
        notes.append(relationship.inverse.map { "inverse \($0)" } ?? "no inverse")
        notes.append("delete rule \(relationship.deleteRule)")
        if relationship.isToMany {
            var counts = Bounds()
            if relationship.minimumCount > 0 { counts.lower = "\(relationship.minimumCount)" }
            if relationship.maximumCount > 0 { counts.upper = "\(relationship.maximumCount)" }
            if let phrase = counts.phrase { notes.append(phrase + " members") }
        }
        if relationship.isIndexed { notes.append("indexed") }
        if !relationship.isSyncable { notes.append("not synchronised") }
        return notes + Self.notes(renamedFrom: relationship.renamingIdentifier)
            + Self.notes(hashModifier: relationship.versionHashModifier)
            + Self.notes(of: relationship.userInfo)
    }

    // MARK: What all may have

    static func notes(renamedFrom identifier: String?) -> [String] {
        identifier.map { ["renamed from \($0)"] } ?? []
    }

    static func notes(hashModifier: String?) -> [String] {
        hashModifier.map { ["hash modifier \($0)"] } ?? []
    }

    static func notes(of userInfo: [String: String]) -> [String] {
        userInfo.sorted { $0.key < $1.key }.map { "user info \($0.key) = \($0.value)" }
    }
}
