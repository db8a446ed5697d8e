import CairnModel

extension ModelEncoder {
    /// Encodes a property under its reserved object number.
    mutating func encode(_ property: Property, in entity: Entity, as number: Int) {
        let owner = entityNumbers[entity.name] ?? 0
        switch property {
        case .attribute(let attribute):
            let (className, fields) = encode(attribute.description, owner: owner)
            values.builder.fill(number, className, fields)
        case .relationship(let relationship):
            values.builder.fill(
                number, "NSRelationshipDescription", encode(relationship, owner: owner))
        case .fetchedProperty(let fetched):
            values.builder.fill(
                number, "NSFetchedPropertyDescription", encode(fetched.description, owner: owner))
        }
    }

    /// Returns the fields that all kinds of properties have.
    ///
    /// - Parameter owner: The object number of the entity, or `nil` for an element of a composite.
    private mutating func common(
        _ name: String, owner: Int?, renaming: String?, modifier: String?,
        userInfo: [String: String], flags: PropertyFlags
    ) -> [(String, Node)] {
        var flags = flags
        if !userInfo.isEmpty { flags.remove(.withoutUserInfo) }
        if modifier != nil { flags.remove(.withoutModifier) }
        var fields: [(String, Node)] = [
            ("NSPropertyName", values.string(name)),
            ("NSRenamingIdentifier", values.string(renaming ?? name)),
            ("_P", .integer(flags.rawValue)),
        ]
        if let owner { fields.append(("NSEntity", .reference(owner))) }
        if flags.contains(.optional) { fields.append(("NSIsOptional", .boolean(true))) }
        if flags.contains(.transient) { fields.append(("NSIsTransient", .boolean(true))) }
        if flags.contains(.readOnly) { fields.append(("NSIsReadOnly", .boolean(true))) }
        if let modifier { fields.append(("NSVersionHashModifier", values.string(modifier))) }
        if !userInfo.isEmpty {
            fields.append(("NSUserInfo", .reference(values.number(ofUserInfo: userInfo))))
        }
        return fields
    }

    private mutating func encode(
        _ attribute: AttributeDescription, owner: Int?
    ) -> (className: String, fields: [(String, Node)]) {
        var flags = PropertyFlags.always
        if attribute.isOptional { flags.insert(.optional) }
        if attribute.isTransient { flags.insert(.transient) }
        if attribute.derivation != nil { flags.insert(.readOnly) }
        if !attribute.validationRules.isEmpty { flags.remove(.withoutValidation) }
        if attribute.isIndexedBySpotlight { flags.insert(.spotlight) }
        if attribute.allowsCloudEncryption { flags.insert(.cloudEncryption) }
        var fields = common(
            attribute.name, owner: owner, renaming: attribute.renamingIdentifier,
            modifier: attribute.versionHashModifier, userInfo: attribute.userInfo, flags: flags)
        let storage =
            (attribute.allowsExternalBinaryDataStorage ? PropertyFlags.external : 0)
            | (attribute.preservesValueInHistoryOnDeletion ? PropertyFlags.preserved : 0)
        let valueClass = attribute.valueClassName ?? attribute.type.archivedClassName
        // Core Data writes no class if there is a transformer, because the transformer determines it.
        let isTransformed =
            attribute.type == .transformable && attribute.valueTransformerName != nil
        let className = isTransformed ? nil : valueClass
        fields += [
            ("NSAttributeType", .integer(Int64(attribute.type.rawValue))),
            ("NSAttributeValueClassName", values.string(className)),
            ("NSDefaultValue", .reference(values.number(of: attribute.defaultValue))),
            ("NSValueTransformerName", values.string(attribute.valueTransformerName)),
            ("NSFlagsKey", .integer(Int64(storage))),
        ]
        if isTransformed, let name = attribute.valueClassName {
            fields.append((ArchiveKey.valueClassName, values.string(name)))
        }
        if !attribute.unreadableValues.isEmpty {
            let texts = values.number(ofUserInfo: attribute.unreadableValues)
            fields.append((ArchiveKey.unreadableValues, .reference(texts)))
        }
        fields += switches(of: attribute)
        fields += values.validation(attribute.validationRules)
        if let derivation = attribute.derivation {
            return ("NSDerivedAttributeDescription", fields + encode(derivation))
        }
        guard attribute.type == .composite, let name = attribute.compositeName else {
            return ("NSAttributeDescription", fields)
        }
        fields.append((ArchiveKey.compositeName, values.string(name)))
        if let composite = model.composite(named: name) {
            fields.append(
                (CompositeDecoder.elementsKey, .reference(encodeElements(of: composite))))
        }
        return ("NSCompositeAttributeDescription", fields)
    }

    /// Returns the Boolean settings that are true. Others are not archived.
    private func switches(of attribute: AttributeDescription) -> [(String, Node)] {
        let all = [
            ("NSIsIndexed", attribute.isIndexed),
            ("NSIndexedBySpotlight", attribute.isIndexedBySpotlight),
            ("NSAllowsCloudEncryption", attribute.allowsCloudEncryption),
            (ArchiveKey.usesScalarValueType, attribute.usesScalarValueType),
            (ArchiveKey.isNotSyncable, !attribute.isSyncable),
        ]
        return all.filter(\.1).map { ($0.0, .boolean(true)) }
    }

    private mutating func encode(_ derivation: Derivation) -> [(String, Node)] {
        let (expression, extra) = values.expression(text: derivation.expression)
        let filter = values.number(of: derivation.filter)
        return [
            ("NSDerivationExpression", .reference(expression)),
            ("NSFilteringPredicate", .reference(filter)),
        ] + extra
    }

    /// Encodes the elements of a composite as an array. The recursion ends, because the model was checked for
    /// composites that contain themselves.
    mutating func encodeElements(of composite: CompositeDescription) -> Int {
        var numbers: [Int] = []
        for element in composite.elements {
            let (className, fields) = encode(element, owner: nil)
            numbers.append(values.builder.add(className, fields))
        }
        return values.builder.add(list: numbers, as: "NSMutableArray")
    }

    private mutating func encode(_ relationship: Relationship, owner: Int) -> [(String, Node)] {
        let description = relationship.description
        var flags = PropertyFlags.always
        if description.isOptional { flags.insert(.optional) }
        if description.isTransient { flags.insert(.transient) }
        if description.isOrdered { flags.insert(.ordered) }
        var fields = common(
            description.name, owner: owner, renaming: description.renamingIdentifier,
            modifier: description.versionHashModifier, userInfo: description.userInfo,
            flags: flags)
        let destination = relationship.destination
        let inverse = description.inverse.map { number(of: $0, in: destination) } ?? 0
        fields += [
            ("NSDestinationEntity", .reference(entityNumbers[destination.name] ?? 0)),
            ("_NSDestinationEntityName", values.string(destination.name)),
            ("NSInverseRelationship", .reference(inverse)),
            ("_NSInverseRelationshipName", values.string(description.inverse)),
            ("NSDeleteRule", .integer(Int64(description.deleteRule.rawValue))),
            ("NSMinCount", .integer(Int64(description.minimumCount))),
            ("NSMaxCount", .integer(Int64(description.maximumCount))),
        ]
        let switches = [
            ("NSIsOrdered", description.isOrdered), ("NSIsIndexed", description.isIndexed),
            (ArchiveKey.isNotSyncable, !description.isSyncable),
        ]
        return fields + switches.filter(\.1).map { ($0.0, .boolean(true)) }
    }

    private mutating func encode(
        _ fetched: FetchedPropertyDescription, owner: Int
    ) -> [(String, Node)] {
        var flags = PropertyFlags.always.union([.transient, .readOnly])
        if fetched.isOptional { flags.insert(.optional) }
        let fields = common(
            fetched.name, owner: owner, renaming: fetched.renamingIdentifier, modifier: nil,
            userInfo: fetched.userInfo, flags: flags)
        return fields + [
            ("NSFetchRequest", .reference(encode(fetched.template))),
            ("_NSFetchRequestEntityName", values.string(fetched.template.entity)),
        ]
    }

    /// Encodes a fetch request and returns its object number.
    mutating func encode(_ template: FetchRequestTemplate) -> Int {
        let entity = entityNumbers[template.entity] ?? 0
        let fields: [(String, Node)] = [
            ("NSEntity", .reference(entity)),
            ("NSPredicate", .reference(values.number(of: template.condition))),
            ("NSSortDescriptors", .reference(encode(template.sortDescriptors))),
            ("NSResultType", .integer(Int64(template.resultType.rawValue))),
            ("NSFetchLimit", .integer(Int64(template.fetchLimit))),
            ("NSFetchOffset", .integer(Int64(template.fetchOffset))),
            ("NSBatchSize", .integer(Int64(template.fetchBatchSize))),
            ("NSHasFetchRequestFlags", .boolean(true)),
            ("NSFetchRequestFlags", .integer(Int64(FetchRequestFlags(template).rawValue))),
            ("NSAllocationType", .integer(0)),
        ]
        let absent = [
            "NSValuesToFetch", "NSValuesToGroupBy", "NSHavingPredicate",
            "NSRelationshipKeyPathsForPrefetching",
        ]
        return values.builder.add("NSFetchRequest", fields + absent.map { ($0, .reference(0)) })
    }

    private mutating func encode(_ descriptors: [FetchRequestTemplate.SortDescriptor]) -> Int {
        if descriptors.isEmpty { return 0 }
        var numbers: [Int] = []
        for descriptor in descriptors {
            let fields: [(String, Node)] = [
                ("NSKey", values.string(descriptor.keyPath)),
                ("NSAscending", .boolean(descriptor.isAscending)),
                ("NSSelector", values.string("compare:")),
                ("NSReverseNullOrder", .boolean(false)),
            ]
            numbers.append(values.builder.add("NSSortDescriptor", fields))
        }
        return values.builder.add(list: numbers)
    }
}
