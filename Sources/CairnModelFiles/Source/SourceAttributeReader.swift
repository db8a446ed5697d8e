import CairnModel
import CairnSAX
import Foundation

/// Reads `<attribute>`.
struct SourceAttributeReader {
    func attribute(_ element: XMLElement) throws(XMLDamage) -> AttributeDescription {
        var attribute = AttributeDescription(
            try element.required("name"), try type(of: element))
        attribute.isOptional = element.isTrue("optional")
        attribute.isTransient = element.isTrue("transient")
        attribute.defaultValue =
            value(Self.defaultNames, of: element, as: attribute.type) ?? .null
        attribute.validationRules = validationRules(of: element, type: attribute.type)
        attribute.unreadableValues = unreadableValues(of: element, type: attribute.type)
        attribute.valueTransformerName = element.text("valueTransformerName")
        attribute.valueClassName = element.text("customClassName")
        attribute.usesScalarValueType = element.isTrue("usesScalarValueType")
        attribute.allowsExternalBinaryDataStorage = element.isTrue(
            "allowsExternalBinaryDataStorage")
        attribute.preservesValueInHistoryOnDeletion = element.isTrue("preserveAfterDeletion")
        attribute.isIndexed = element.isTrue("indexed")
        attribute.isIndexedBySpotlight = element.isTrue("spotlightIndexingEnabled")
        attribute.isSyncable = element.isSyncable
        attribute.allowsCloudEncryption = element.isTrue("allowsCloudEncryption")
        attribute.renamingIdentifier = element.renamingIdentifier
        attribute.versionHashModifier = element.text("versionHashModifier")
        attribute.userInfo = element.userInfo
        if element.isTrue("derived") {
            attribute.derivation = Derivation(
                expression: element["derivationExpression"] ?? "")
        }
        if attribute.type == .composite { attribute.compositeName = element["composite"] }
        return attribute
    }

    private func type(of element: XMLElement) throws(XMLDamage) -> AttributeType {
        guard let name = element.text("attributeType") else { return .undefined }
        guard let type = AttributeType(sourceName: name) else {
            throw XMLDamage(
                line: element.line,
                detail: "the attribute “\(element["name"] ?? "")” has the unknown type “\(name)”")
        }
        return type
    }

    /// A value of an attribute: its text, and for a date the seconds that newer versions of Xcode also write.
    private typealias Names = (text: String, seconds: String)

    private static let defaultNames: Names = ("defaultValueString", "defaultDateTimeInterval")
    private static let leastNames: Names = ("minValueString", "minDateTimeInterval")
    private static let mostNames: Names = ("maxValueString", "maxDateTimeInterval")

    private func value(_ names: Names, of element: XMLElement, as type: AttributeType) -> Value? {
        if type == .date, let seconds = element.seconds(names.seconds) {
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        }
        return element[names.text].flatMap { SourceValue.value($0, as: type) }
    }

    /// The type of the bounds, or `nil` if attributes of this type have no bounds.
    private func boundType(of type: AttributeType) -> AttributeType? {
        // The bounds of a text are those of its length.
        type == .string ? .integer64 : type == .date || type.isNumeric ? type : nil
    }

    private func validationRules(
        of element: XMLElement, type: AttributeType
    ) -> [ValidationRule] {
        var rules: [ValidationRule] = []
        if let boundType = boundType(of: type) {
            let least = value(Self.leastNames, of: element, as: boundType)
            let most = value(Self.mostNames, of: element, as: boundType)
            if type == .string {
                rules += least?.length.map { [.minimumLength($0)] } ?? []
                rules += most?.length.map { [.maximumLength($0)] } ?? []
            } else {
                rules += least.map { [.minimum($0)] } ?? []
                rules += most.map { [.maximum($0)] } ?? []
            }
        }
        if let pattern = element.text("regularExpressionString") {
            rules.append(.matches(regularExpression: pattern))
        }
        return rules
    }

    /// Returns the default value and the bounds that are not values of the type. An empty text is no value.
    private func unreadableValues(
        of element: XMLElement, type: AttributeType
    ) -> [String: String] {
        var texts: [String: String] = [:]
        func check(_ names: Names, as type: AttributeType) {
            guard value(names, of: element, as: type) == nil else { return }
            texts[names.text] = element.text(names.text)
            if type == .date { texts[names.seconds] = element.text(names.seconds) }
        }
        check(Self.defaultNames, as: type)
        if let boundType = boundType(of: type) {
            check(Self.leastNames, as: boundType)
            check(Self.mostNames, as: boundType)
        }
        return texts
    }
}

extension Value {
    fileprivate var length: Int? {
        if case .integer(let length) = self { Int(exactly: length) } else { nil }
    }
}

extension XMLElement {
    /// Returns seconds since 2001, or `nil` if the attribute is missing or is not a finite number.
    fileprivate func seconds(_ attribute: String) -> Double? {
        self[attribute].flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
    }
}
