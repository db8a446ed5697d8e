import CairnModel
import CairnSAX

/// Reads the `contents` file of a source model (docs/formats/model-files.md).
///
/// Unknown elements and attributes are ignored, as Core Data's tools do.
struct SourceModelReader {
    /// - Throws: An ``XMLDamage`` if the XML is invalid or lacks something that a model requires.
    static func description(of bytes: [UInt8]) throws(XMLDamage) -> ModelDescription {
        let root = try XMLElement.read(bytes)
        guard root.name == "model" else {
            throw XMLDamage(
                line: root.line, detail: "the outermost element is <\(root.name)>, not <model>")
        }
        return try description(of: root)
    }

    /// - Throws: An ``XMLDamage`` if the element lacks something that a model requires.
    static func description(of root: XMLElement) throws(XMLDamage) -> ModelDescription {
        try SourceModelReader().description(of: root)
    }

    private func description(of root: XMLElement) throws(XMLDamage) -> ModelDescription {
        var description = ModelDescription()
        for child in root.children {
            switch child.name {
            case "entity": description.entities.append(try SourceEntityReader().entity(child))
            case "composite": description.composites.append(try composite(child))
            case "configuration":
                // Configurations are sets in Core Data, so the order in the file has no meaning.
                description.configurations[try child.required("name")] =
                    child.children("memberEntity").compactMap { $0["name"] }
                    .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            // A request without an entity could not be executed.
            case "fetchRequest" where child["entity"] != nil:
                description.fetchRequestTemplates[try child.required("name")] =
                    try SourceFetchRequestReader().template(child)
            default: break
            }
        }
        if let identifier = root["userDefinedModelVersionIdentifier"] {
            description.versionIdentifiers = [identifier]
        }
        return description.forReading()
    }

    private func composite(_ element: XMLElement) throws(XMLDamage) -> CompositeDescription {
        var composite = CompositeDescription(try element.required("name"), [])
        for child in element.children("attribute") {
            composite.elements.append(try SourceAttributeReader().attribute(child))
        }
        return composite
    }
}

extension XMLElement {
    /// Returns the value of an attribute.
    ///
    /// - Throws: An ``XMLDamage`` if the attribute is missing.
    func required(_ attribute: String) throws(XMLDamage) -> String {
        guard let value = self[attribute] else {
            throw XMLDamage(
                line: line, detail: "<\(name)> does not have the attribute “\(attribute)”")
        }
        return value
    }

    /// Returns the value of an attribute, or `nil` if it is missing or empty.
    func text(_ attribute: String) -> String? {
        self[attribute].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the value of an attribute as an integer, or `nil` if it is missing or is not an integer.
    func integer(_ attribute: String) -> Int? {
        self[attribute].flatMap { Int($0) }
    }

    /// The name in the previous version of the model, or `nil` if the name is the same.
    var renamingIdentifier: String? {
        text("elementID").flatMap { $0 == self["name"] ? nil : $0 }
    }

    /// Whether the element is synchronised. The default is `true`, because Xcode no longer writes the
    /// attribute.
    var isSyncable: Bool { self["syncable"].flatMap(XMLElement.truth) ?? true }

    /// The user info inside the element. If entries have the same key, the last one is used.
    var userInfo: [String: String] {
        var userInfo: [String: String] = [:]
        for entry in child("userInfo")?.children("entry") ?? [] {
            if let key = entry["key"] { userInfo[key] = entry["value"] ?? "" }
        }
        return userInfo
    }
}

/// Reads `<fetchRequest>`.
struct SourceFetchRequestReader {
    func template(_ element: XMLElement) throws(XMLDamage) -> FetchRequestTemplate {
        var template = FetchRequestTemplate(
            entity: try element.required("entity"), condition: condition(element))
        template.resultType =
            FetchRequestTemplate.ResultType(rawValue: element.integer("resultType") ?? 0)
            ?? .managedObjects
        template.fetchLimit = element.integer("fetchLimit") ?? 0
        template.fetchBatchSize = element.integer("fetchBatchSize") ?? 0
        func flag(_ name: String, absent: Bool) -> Bool {
            element[name].flatMap(XMLElement.truth) ?? absent
        }
        // The defaults that Core Data sets for these result types, according to compiled models.
        template.includesSubentities = flag("includeSubentities", absent: true)
        template.includesPropertyValues = flag(
            "includePropertyValues", absent: template.resultType != .objectIDs)
        template.includesPendingChanges = flag(
            "includesPendingChanges", absent: template.resultType != .dictionaries)
        template.returnsObjectsAsFaults = flag("returnObjectsAsFaults", absent: true)
        template.returnsDistinctResults = flag("returnDistinctResults", absent: false)
        return template
    }

    /// Reads the condition. Text that cannot be parsed is kept, so that the model can still open its stores.
    private func condition(_ element: XMLElement) -> FetchRequestTemplate.Condition? {
        guard let text = element.text("predicateString") else { return nil }
        do {
            return .predicate(try FetchPredicate(format: text))
        } catch {
            return .unreadable(text: text, reason: error.description)
        }
    }
}
