import CairnModel

/// Reads the `contents` file of a source model (docs/formats/model-files.md).
///
/// Elements and attributes that are not known are ignored, as Core Data's tools ignore them.
struct SourceModelReader {
    /// - Throws: an ``XMLFailure`` for damaged XML and for what a model cannot be read without.
    static func description(of bytes: [UInt8]) throws(XMLFailure) -> ModelDescription {
        let root = try XMLTreeReader.read(bytes)
        guard root.name == "model" else {
            throw XMLFailure(
                line: root.line, detail: "the outermost element is <\(root.name)>, not <model>")
        }
        return try description(of: root)
    }

    /// - Throws: an ``XMLFailure`` for what a model cannot be read without.
    static func description(of root: XMLElement) throws(XMLFailure) -> ModelDescription {
        try SourceModelReader().description(of: root)
    }

    private func description(of root: XMLElement) throws(XMLFailure) -> ModelDescription {
        var description = ModelDescription()
        for child in root.children {
            switch child.name {
            case "entity": description.entities.append(try SourceEntityReader().entity(child))
            case "composite": description.composites.append(try composite(child))
            case "configuration":
                // A set in Core Data, so the order in the file says nothing.
                description.configurations[try child.required("name")] =
                    child.children("memberEntity").compactMap { $0["name"] }
                    .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            // Nobody could run a request for no entity.
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

    private func composite(_ element: XMLElement) throws(XMLFailure) -> CompositeDescription {
        var composite = CompositeDescription(try element.required("name"), [])
        for child in element.children("attribute") {
            composite.elements.append(try SourceAttributeReader().attribute(child))
        }
        return composite
    }
}

extension XMLElement {
    /// - Throws: an ``XMLFailure`` if the attribute is absent.
    func required(_ attribute: String) throws(XMLFailure) -> String {
        guard let value = self[attribute] else {
            throw XMLFailure(line: line, detail: "<\(name)> lacks the attribute “\(attribute)”")
        }
        return value
    }

    /// Returns the value of an attribute unless it is absent or empty.
    func text(_ attribute: String) -> String? {
        self[attribute].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the number that an attribute holds. Returns `nil` if it does not exist.
    func integer(_ attribute: String) -> Int? {
        self[attribute].flatMap { Int($0) }
    }

    /// The name to map from. `nil` if it is the element's own.
    var renamingIdentifier: String? {
        text("elementID").flatMap { $0 == self["name"] ? nil : $0 }
    }

    /// Absent means yes: Xcode stopped writing it.
    var isSyncable: Bool { self["syncable"].flatMap(XMLElement.truth) ?? true }

    /// The user info inside; the last of entries with one key.
    var userInfo: [String: String] {
        var userInfo: [String: String] = [:]
        for entry in child("userInfo")?.children("entry") ?? [] {
            if let key = entry["key"] { userInfo[key] = entry["value"] ?? "" }
        }
        return userInfo
    }
}
