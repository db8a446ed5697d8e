import CairnModel
import Foundation

/// Writes models in the `contents` form, which Xcode can edit.
package enum SourceModelWriter {
    /// Returns the text of a `contents` file.
    ///
    /// Reading the text gives the same description, except for parts that the form cannot represent: the
    /// offset and sort descriptors of a template, binary default values, validation by predicates, the filter
    /// of a derivation, and all version identifiers except for the first one in sorted order.
    package static func contents(of description: ModelDescription) -> String {
        var root = XMLElement(
            name: "model",
            attributes: [
                "type": "com.apple.IDECoreDataModeler.DataModel", "documentVersion": "1.0",
                "minimumToolsVersion": "Automatic", "sourceLanguage": "Swift",
                "userDefinedModelVersionIdentifier": description.versionIdentifiers.sorted().first,
            ].compactMapValues { $0 })
        root.children = description.entities.map(element)
        root.children += description.composites.map(element)
        let templates = description.fetchRequestTemplates.sorted { $0.key < $1.key }
        root.children += templates.map { element($0.value, named: $0.key) }
        for (name, members) in description.configurations.sorted(by: { $0.key < $1.key }) {
            var configuration = XMLElement(name: "configuration", attributes: ["name": name])
            configuration.children = members.map {
                XMLElement(name: "memberEntity", attributes: ["name": $0])
            }
            root.children.append(configuration)
        }
        return XMLTreeWriter.text(of: root)
    }
}

extension SourceModelWriter {
    private static func element(_ entity: EntityDescription) -> XMLElement {
        var element = XMLElement(
            name: "entity",
            attributes: attributes([
                "name": entity.name, "representedClassName": entity.managedObjectClassName ?? "",
                "parentEntity": entity.superentity, "isAbstract": yes(entity.isAbstract),
                "elementID": entity.renamingIdentifier,
                "versionHashModifier": entity.versionHashModifier,
                "syncable": entity.isSyncable ? "YES" : "NO",
            ]))
        element.children = entity.properties.map { property in
            switch property {
            case .attribute(let attribute): self.element(attribute)
            case .relationship(let relationship): self.element(relationship)
            case .fetchedProperty(let fetched): self.element(fetched)
            }
        }
        element.children += entity.fetchIndexes.map(self.element)
        element.children += lists(
            entity.compoundIndexes, "compoundIndexes", "compoundIndex", "index")
        element.children += lists(
            entity.uniquenessConstraints, "uniquenessConstraints", "uniquenessConstraint",
            "constraint")
        element.children += userInfo(entity.userInfo)
        return element
    }

    private static func lists(
        _ lists: [[String]], _ outer: String, _ inner: String, _ member: String
    ) -> [XMLElement] {
        if lists.isEmpty { return [] }
        var element = XMLElement(name: outer, attributes: [:])
        element.children = lists.map { names in
            var list = XMLElement(name: inner, attributes: [:])
            list.children = names.map { XMLElement(name: member, attributes: ["value": $0]) }
            return list
        }
        return [element]
    }

    private static func element(_ composite: CompositeDescription) -> XMLElement {
        var element = XMLElement(name: "composite", attributes: ["name": composite.name])
        element.children = composite.elements.map(self.element)
        return element
    }

    private static func element(_ relationship: RelationshipDescription) -> XMLElement {
        // If there is no maximum, the reader uses 0 for a to-many and 1 for a to-one.
        let isPlain = relationship.isToMany && relationship.maximumCount == 0
        var element = XMLElement(
            name: "relationship",
            attributes: attributes([
                "name": relationship.name, "optional": yes(relationship.isOptional),
                "transient": yes(relationship.isTransient), "toMany": yes(relationship.isToMany),
                "ordered": yes(relationship.isOrdered),
                "minCount": relationship.minimumCount == 0 ? nil : "\(relationship.minimumCount)",
                "maxCount": isPlain ? nil : "\(relationship.maximumCount)",
                "deletionRule": relationship.deleteRule.sourceName,
                "destinationEntity": relationship.destination,
                "inverseName": relationship.inverse,
                "inverseEntity": relationship.inverse.map { _ in relationship.destination },
                "indexed": yes(relationship.isIndexed),
                "elementID": relationship.renamingIdentifier,
                "versionHashModifier": relationship.versionHashModifier,
                "syncable": relationship.isSyncable ? "YES" : "NO",
            ]))
        element.children = userInfo(relationship.userInfo)
        return element
    }

    private static func element(_ fetched: FetchedPropertyDescription) -> XMLElement {
        var element = XMLElement(
            name: "fetchedProperty",
            attributes: attributes([
                "name": fetched.name, "optional": yes(fetched.isOptional),
                "elementID": fetched.renamingIdentifier,
            ]))
        // Xcode uses this name for the requests of all fetched properties.
        element.children = [
            self.element(fetched.template, named: "fetchedPropertyFetchRequest")
        ]
        element.children += userInfo(fetched.userInfo)
        return element
    }

    private static func element(
        _ template: FetchRequestTemplate, named name: String
    ) -> XMLElement {
        let predicate: String? =
            switch template.condition {
            case nil: nil
            case .predicate(let predicate)?: predicate.description
            case .unreadable(let text, _)?: text
            }
        func flag(_ isOn: Bool) -> String { isOn ? "YES" : "NO" }
        func number(_ value: Int) -> String? { value == 0 ? nil : String(value) }
        return XMLElement(
            name: "fetchRequest",
            attributes: attributes([
                "name": name, "entity": template.entity, "predicateString": predicate,
                "resultType": number(template.resultType.rawValue),
                "fetchLimit": number(template.fetchLimit),
                "fetchBatchSize": number(template.fetchBatchSize),
                "includeSubentities": flag(template.includesSubentities),
                "includePropertyValues": flag(template.includesPropertyValues),
                "includesPendingChanges": flag(template.includesPendingChanges),
                "returnObjectsAsFaults": flag(template.returnsObjectsAsFaults),
                "returnDistinctResults": flag(template.returnsDistinctResults),
            ]))
    }

    private static func element(_ index: FetchIndexDescription) -> XMLElement {
        var element = XMLElement(
            name: "fetchIndex",
            attributes: attributes([
                "name": index.name,
                "partialIndexPredicate": index.partialPredicate?.description,
            ]))
        element.children = index.elements.map { member in
            let (property, expression): (String?, String?) =
                switch member.target {
                case .property(let name): (name, nil)
                case .expression(let text): (nil, text)
                }
            return XMLElement(
                name: "fetchIndexElement",
                attributes: attributes([
                    "property": property, "expression": expression,
                    "type": member.type == .rTree ? "RTree" : "Binary",
                    "order": member.isAscending ? "ascending" : "descending",
                ]))
        }
        return element
    }

    static func userInfo(_ userInfo: [String: String]) -> [XMLElement] {
        if userInfo.isEmpty { return [] }
        var element = XMLElement(name: "userInfo", attributes: [:])
        element.children = userInfo.sorted { $0.key < $1.key }.map {
            XMLElement(name: "entry", attributes: ["key": $0.key, "value": $0.value])
        }
        return [element]
    }

    /// Returns the attributes that have a value.
    static func attributes(_ all: [String: String?]) -> [String: String] {
        all.compactMapValues { $0 }
    }

    /// Returns the value of a Boolean attribute, which is written only if it is true.
    static func yes(_ isOn: Bool) -> String? { isOn ? "YES" : nil }
}

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
