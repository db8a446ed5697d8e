import CairnModel
import CairnModelArchive
import CairnSAX

/// Reads an `elements` file, the form of source models before Xcode 4. It is a keyed archive of the
/// editor's own objects (docs/formats/model-files.md).
///
/// The archive is converted to the elements of the later form, so that one reader interprets both. Fetch
/// requests, fetched properties and compound indexes are left out, because they do not affect the contents
/// of stores.
struct ElementsModelReader {
    /// - Throws: `.damaged`, `.unexpectedRoot` if the archive contains something else, or `.wrongValue` for a
    ///   property of an unknown type.
    static func description(of bytes: [UInt8]) throws(ModelArchiveError) -> ModelDescription {
        guard let model = try KeyedArchive(bytes).root().object, model.className == "XDPMModel",
            let package = try model.object("_xd_rootPackage")
        else { throw .unexpectedRoot("the archive contains no model of Xcode 3") }
        let root = try element(of: model, package)
        do {
            return try SourceModelReader.description(of: root)
        } catch {
            throw .wrongValue(object: "the model", key: "XDPMEntity", detail: error.detail)
        }
    }

    private static func element(
        of model: ArchivedObject, _ package: ArchivedObject
    ) throws(ModelArchiveError) -> XMLElement {
        var root = XMLElement(name: "model", attributes: [:])
        for (name, value) in try package.entries("XDBucketForClassesstorage") {
            guard let object = value.object, object.className == "XDPMEntity" else { continue }
            root.children.append(try entity(object, named: name))
        }
        for (name, members) in try model.entries("_configurationsByName") {
            var configuration = XMLElement(name: "configuration", attributes: ["name": name])
            for member in try members.object?.elements() ?? [] {
                let named = try member.object?.string("_name")
                guard let entity = member.string ?? named else { continue }
                configuration.children.append(
                    XMLElement(name: "memberEntity", attributes: ["name": entity]))
            }
            root.children.append(configuration)
        }
        return root
    }

    private static func entity(
        _ object: ArchivedObject, named key: String
    ) throws(ModelArchiveError) -> XMLElement {
        let settings = try Settings(of: object)
        let name = try object.string("_name") ?? key
        var entity = XMLElement(name: "entity", attributes: ["name": name])
        entity["parentEntity"] = try object.elements("XDBucketForGeneralizationsstorage")
            .first?.object?.object("_general")?.string("_name")
        entity["representedClassName"] = settings.text("XD_PSK_entityClassName")
        entity["isAbstract"] = settings.text("XD_PSK_isAbstract")
        entity["elementID"] = settings.text("XD_PSK_elementID")
        entity["versionHashModifier"] = settings.text("XD_PSK_versionHashModifier")
        entity.children += try settings.userInfo("XD_PSK_userInfo")
        for (name, value) in try object.entries("XDBucketForOwnedAttributesstorage") {
            guard let property = value.object else { continue }
            switch property.className {
            case "XDPMAttribute":
                entity.children.append(try attribute(property, named: name))
            case "XDPMRelationship":
                entity.children.append(try relationship(property, named: name))
            default: continue
            }
        }
        return entity
    }

    private static func attribute(
        _ object: ArchivedObject, named key: String
    ) throws(ModelArchiveError) -> XMLElement {
        let settings = try Settings(of: object)
        var attribute = try property("attribute", object, key, settings)
        let number = settings.integer("XD_PAttK_attributeType") ?? 0
        let type = Int32(exactly: number).flatMap(AttributeType.init)
        attribute["attributeType"] = type?.sourceName ?? "\(number)"
        attribute["spotlightIndexingEnabled"] = settings.text("XD_PPSK_isSpotlightIndexed")
        attribute["allowsExternalBinaryDataStorage"] = settings.text(
            "XD_PAttK_allowsExternalBinaryDataStorage")
        attribute["defaultValueString"] = settings.text("XD_PAttK_defaultValueAsString")
        attribute["minValueString"] = settings.text("XD_PAttK_minValueString")
        attribute["maxValueString"] = settings.text("XD_PAttK_maxValueString")
        attribute["regularExpressionString"] = settings.text("XD_PAttK_regularExpressionString")
        attribute["valueTransformerName"] = settings.text("XD_PAttK_valueTransformerName")
        return attribute
    }

    private static func relationship(
        _ object: ArchivedObject, named key: String
    ) throws(ModelArchiveError) -> XMLElement {
        let settings = try Settings(of: object)
        var relationship = try property("relationship", object, key, settings)
        relationship["destinationEntity"] = try settings.name("XD_PRK_destination")
        relationship["inverseName"] = try settings.name("XD_PRK_inverseRelationship")
        relationship["toMany"] = settings.text("XD_PRK_isToMany")
        relationship["ordered"] = settings.text("XD_PRK_ordered")
        relationship["minCount"] = settings.text("XD_PRK_minCount")
        relationship["maxCount"] = settings.text("XD_PRK_maxCount")
        relationship["deletionRule"] =
            settings.integer("XD_PRK_deleteRule")
            .flatMap(DeleteRule.init(rawValue:))?.sourceName
        return relationship
    }

    /// Returns an element with the settings that attributes and relationships have in common.
    private static func property(
        _ kind: String, _ object: ArchivedObject, _ key: String, _ settings: Settings
    ) throws(ModelArchiveError) -> XMLElement {
        let name = try object.string("_name") ?? key
        var property = XMLElement(name: kind, attributes: ["name": name])
        property["optional"] = settings.text("XD_PPSK_isOptional")
        property["transient"] = settings.text("XD_PPSK_isTransient")
        property["indexed"] = settings.text("XD_PPSK_isIndexed")
        property["elementID"] = settings.text("XD_PPSK_elementID")
        property["versionHashModifier"] = settings.text("XD_PPSK_versionHashModifier")
        property.children += try settings.userInfo("XD_PPSK_userInfo")
        return property
    }
}

/// The settings of an entity or a property, which the editor stores in stereotypes.
private struct Settings {
    private var values: [String: ArchivedValue] = [:]

    init(of object: ArchivedObject) throws(ModelArchiveError) {
        for (_, stereotype) in try object.entries("XDBucketForStereotypesstorage") {
            let settings =
                try stereotype.object?.entries("XDBucketForOwnedAttributesstorage") ?? []
            for (key, setting) in settings {
                values[key] = try setting.object?.value("_default")
            }
        }
    }

    /// Returns the setting as text in the later form, or `nil` if it is not set.
    func text(_ key: String) -> String? {
        switch values[key] {
        case .boolean(let value)?: value ? "YES" : "NO"
        case .integer(let value)?: String(value)
        case .real(let value)?: String(value)
        case .string(let text)?: text
        default: nil
        }
    }

    func integer(_ key: String) -> Int? {
        if case .integer(let value)? = values[key] { Int(exactly: value) } else { nil }
    }

    /// Returns the name of the entity or property that the setting refers to.
    func name(_ key: String) throws(ModelArchiveError) -> String? {
        guard case .object(let object)? = values[key] else { return nil }
        return try object.string("_name")
    }

    /// Returns the entries of a user info whose values are strings.
    func userInfo(_ key: String) throws(ModelArchiveError) -> [XMLElement] {
        guard case .object(let object)? = values[key] else { return [] }
        var info = XMLElement(name: "userInfo", attributes: [:])
        for (key, value) in try object.entries() {
            guard let text = value.string else { continue }
            info.children.append(
                XMLElement(name: "entry", attributes: ["key": key, "value": text]))
        }
        return info.children.isEmpty ? [] : [info]
    }
}
