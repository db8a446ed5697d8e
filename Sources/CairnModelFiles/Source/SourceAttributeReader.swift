import CairnModel
import Foundation

/// Reads `<attribute>`.
struct SourceAttributeReader {
    func attribute(_ element: XMLElement) throws(XMLFailure) -> AttributeDescription {
        var attribute = AttributeDescription(
            try element.required("name"), try type(of: element))
        attribute.isOptional = element.isTrue("optional")
        attribute.isTransient = element.isTrue("transient")
        attribute.defaultValue = defaultValue(of: element, type: attribute.type) ?? .null
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

    private func type(of element: XMLElement) throws(XMLFailure) -> AttributeType {
        guard let name = element.text("attributeType") else { return .undefined }
        guard let type = AttributeType(sourceName: name) else {
            throw XMLFailure(
                line: element.line,
                detail: "the attribute “\(element["name"] ?? "")” has the unknown type “\(name)”")
        }
        return type
    }

    private func defaultValue(of element: XMLElement, type: AttributeType) -> Value? {
        if type == .date, let seconds = element.seconds("defaultDateTimeInterval") {
            return .date(Date(timeIntervalSinceReferenceDate: seconds))
        }
        guard let text = element["defaultValueString"] else { return nil }
        return SourceValue.value(text, as: type)
    }

    private func validationRules(
        of element: XMLElement, type: AttributeType
    ) -> [ValidationRule] {
        var rules: [ValidationRule] = []
        if type == .string {
            rules += element.integer("minValueString").map { [.minimumLength($0)] } ?? []
            rules += element.integer("maxValueString").map { [.maximumLength($0)] } ?? []
        } else if type == .date {
            rules +=
                bound(element, "minDateTimeInterval", "minValueString").map { [.minimum($0)] } ?? []
            rules +=
                bound(element, "maxDateTimeInterval", "maxValueString").map { [.maximum($0)] } ?? []
        } else if type.isNumeric {
            let (least, most) = (element["minValueString"], element["maxValueString"])
            rules += least.flatMap { SourceValue.value($0, as: type) }.map { [.minimum($0)] } ?? []
            rules += most.flatMap { SourceValue.value($0, as: type) }.map { [.maximum($0)] } ?? []
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
        func check(_ name: String, _ seconds: String, as type: AttributeType) {
            guard let text = element.text(name), SourceValue.value(text, as: type) == nil,
                type != .date || element.seconds(seconds) == nil
            else { return }
            texts[name] = text
        }
        check("defaultValueString", "defaultDateTimeInterval", as: type)
        if type == .string || type == .date || type.isNumeric {
            let boundType = type == .string ? AttributeType.integer64 : type
            check("minValueString", "minDateTimeInterval", as: boundType)
            check("maxValueString", "maxDateTimeInterval", as: boundType)
        }
        return texts
    }

    /// Returns a date from its seconds, or from its text if Xcode wrote no seconds.
    private func bound(_ element: XMLElement, _ seconds: String, _ text: String) -> Value? {
        element.seconds(seconds).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
            ?? element[text].flatMap { SourceValue.value($0, as: .date) }
    }
}

extension XMLElement {
    /// Returns seconds since 2001, or `nil` if the attribute is missing or is not a finite number.
    fileprivate func seconds(_ attribute: String) -> Double? {
        self[attribute].flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
    }
}
