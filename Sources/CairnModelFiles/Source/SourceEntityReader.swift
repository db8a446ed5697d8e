import CairnModel
import CairnSAX

/// Reads `<entity>`.
struct SourceEntityReader {
    func entity(_ element: XMLElement) throws(XMLDamage) -> EntityDescription {
        var entity = EntityDescription(try element.required("name"))
        entity.superentity = element.text("parentEntity")
        entity.isAbstract = element.isTrue("isAbstract")
        entity.managedObjectClassName = element.text("representedClassName")
            .flatMap { $0 == "NSManagedObject" ? nil : $0 }
        entity.renamingIdentifier = element.renamingIdentifier
        entity.versionHashModifier = element.text("versionHashModifier")
        entity.isSyncable = element.isSyncable
        entity.userInfo = element.userInfo
        for child in element.children {
            switch child.name {
            case "attribute":
                entity.properties.append(.attribute(try SourceAttributeReader().attribute(child)))
            case "relationship": entity.properties.append(.relationship(try relationship(child)))
            case "fetchedProperty":
                entity.properties.append(.fetchedProperty(try fetchedProperty(child)))
            case "uniquenessConstraints":
                entity.uniquenessConstraints += names(
                    in: child.children("uniquenessConstraint"), "constraint")
            case "compoundIndexes":
                entity.compoundIndexes += names(in: child.children("compoundIndex"), "index")
            case "fetchIndex": entity.fetchIndexes.append(try fetchIndex(child))
            default: break
            }
        }
        return entity
    }

    private func names(in lists: [XMLElement], _ member: String) -> [[String]] {
        lists.map { $0.children(member).compactMap { $0["value"] } }.filter { !$0.isEmpty }
    }

    private func relationship(
        _ element: XMLElement
    ) throws(XMLDamage) -> RelationshipDescription {
        let maximum = element.integer("maxCount") ?? (element.isTrue("toMany") ? 0 : 1)
        // As in Core Data, a relationship is to-one if its maximum is 1.
        var relationship = RelationshipDescription(
            try element.required("name"), to: element["destinationEntity"] ?? "",
            isToMany: maximum != 1, inverse: element.text("inverseName"),
            deleteRule: DeleteRule(sourceName: element["deletionRule"] ?? "") ?? .nullify)
        relationship.maximumCount = maximum
        relationship.minimumCount = element.integer("minCount") ?? 0
        relationship.isOrdered = element.isTrue("ordered")
        relationship.isOptional = element.isTrue("optional")
        relationship.isTransient = element.isTrue("transient")
        relationship.isIndexed = element.isTrue("indexed")
        relationship.isSyncable = element.isSyncable
        relationship.renamingIdentifier = element.renamingIdentifier
        relationship.versionHashModifier = element.text("versionHashModifier")
        relationship.userInfo = element.userInfo
        return relationship
    }

    private func fetchedProperty(
        _ element: XMLElement
    ) throws(XMLDamage) -> FetchedPropertyDescription {
        let name = try element.required("name")
        guard let request = element.child("fetchRequest") else {
            throw XMLDamage(
                line: element.line, detail: "the fetched property “\(name)” has no fetch request")
        }
        var fetched = FetchedPropertyDescription(
            name, try SourceFetchRequestReader().template(request))
        fetched.isOptional = element.isTrue("optional")
        fetched.renamingIdentifier = element.renamingIdentifier
        fetched.userInfo = element.userInfo
        return fetched
    }

    private func fetchIndex(_ element: XMLElement) throws(XMLDamage) -> FetchIndexDescription {
        var index = FetchIndexDescription(try element.required("name"), elements: [])
        for child in element.children("fetchIndexElement") {
            let target: FetchIndexDescription.Target
            if let expression = child.text("expression") {
                target = .expression(expression)
            } else if child["property"]?.lowercased() == "self" {
                target = .expression("SELF")
            } else {
                target = .property(try child.required("property"))
            }
            index.elements.append(
                FetchIndexDescription.Element(
                    target, type: child["type"] == "RTree" ? .rTree : .binary,
                    isAscending: child["order"] != "descending"))
        }
        // If the predicate cannot be read, the index covers all objects, which include those of the partial
        // index.
        index.partialPredicate = element.text("partialIndexPredicate").flatMap {
            try? FetchPredicate(format: $0)
        }
        return index
    }
}

extension DeleteRule {
    /// The name of the rule in source models.
    var sourceName: String {
        switch self {
        case .noAction: "No Action"
        case .nullify: "Nullify"
        case .cascade: "Cascade"
        case .deny: "Deny"
        }
    }

    init?(sourceName: String) {
        guard let rule = Self.allCases.first(where: { $0.sourceName == sourceName }) else {
            return nil
        }
        self = rule
    }
}
