import CairnModel
import Foundation

extension SourceModelWriter {
    static func element(_ attribute: AttributeDescription) -> XMLElement {
        var values = attributes([
            "name": attribute.name, "attributeType": attribute.type.sourceName,
            "optional": yes(attribute.isOptional), "transient": yes(attribute.isTransient),
            "defaultValueString": SourceValue.text(attribute.defaultValue),
            "defaultDateTimeInterval": seconds(attribute.defaultValue),
            "valueTransformerName": attribute.valueTransformerName,
            "customClassName": attribute.valueClassName,
            "usesScalarValueType": attribute.usesScalarValueType ? "YES" : "NO",
            "allowsExternalBinaryDataStorage": yes(attribute.allowsExternalBinaryDataStorage),
            "preserveAfterDeletion": yes(attribute.preservesValueInHistoryOnDeletion),
            "indexed": yes(attribute.isIndexed),
            "spotlightIndexingEnabled": yes(attribute.isIndexedBySpotlight),
            "allowsCloudEncryption": yes(attribute.allowsCloudEncryption),
            "derived": yes(attribute.derivation != nil),
            "derivationExpression": attribute.derivation?.expression,
            "composite": attribute.compositeName, "elementID": attribute.renamingIdentifier,
            "versionHashModifier": attribute.versionHashModifier,
            "syncable": attribute.isSyncable ? "YES" : "NO",
        ])
        for rule in attribute.validationRules {
            values.merge(bounds(rule)) { first, _ in first }
        }
        values.merge(attribute.unreadableValues) { first, _ in first }
        var element = XMLElement(name: "attribute", attributes: values)
        element.children = userInfo(attribute.userInfo)
        return element
    }

    private static func bounds(_ rule: ValidationRule) -> [String: String] {
        switch rule {
        case .minimum(let bound):
            attributes([
                "minValueString": SourceValue.text(bound), "minDateTimeInterval": seconds(bound),
            ])
        case .maximum(let bound):
            attributes([
                "maxValueString": SourceValue.text(bound), "maxDateTimeInterval": seconds(bound),
            ])
        case .minimumLength(let count): ["minValueString": String(count)]
        case .maximumLength(let count): ["maxValueString": String(count)]
        case .matches(let pattern): ["regularExpressionString": pattern]
        case .predicate: [:]
        }
    }

    /// Returns the seconds of a date, which represent it exactly. The text does not.
    private static func seconds(_ value: Value) -> String? {
        guard case .date(let date) = value else { return nil }
        let seconds = date.timeIntervalSinceReferenceDate
        return Int64(exactly: seconds).map(String.init) ?? String(seconds)
    }
}
