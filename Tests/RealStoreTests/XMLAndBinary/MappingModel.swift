import CairnModel

/// The entities of mapping models (`xcmapping.xml`), as far as the files reveal them.
enum MappingModel {
    static var entities: [EntityDescription] {
        [
            EntityDescription(
                "XDDevMappingModel",
                [
                    .attribute("destinationModelData", .binary),
                    .attribute("destinationModelPath", .string),
                    .attribute("sourceModelData", .binary),
                    .attribute("sourceModelPath", .string),
                    .toMany("entityMappings", "XDDevEntityMapping", inverse: "mappingModel"),
                ]),
            EntityDescription(
                "XDDevEntityMapping",
                [
                    .attribute("autoGenerateExpression", .boolean),
                    .attribute("destinationName", .string),
                    .attribute("mappingNumber", .integer16),
                    .attribute("mappingTypeName", .string),
                    .attribute("name", .string),
                    .attribute("migrationPolicyClassName", .string),
                    .attribute("sourceName", .string),
                    .toMany(
                        "attributeMappings", "XDDevAttributeMapping", inverse: "entityMapping"),
                    .toOne("mappingModel", "XDDevMappingModel", inverse: "entityMappings"),
                    .toMany(
                        "relationshipMappings", "XDDevRelationshipMapping",
                        inverse: "entityMapping"),
                ]),
            EntityDescription(
                "XDDevPropertyMapping", isAbstract: true,
                [
                    .attribute("autoGenerateExpression", .boolean),
                    .attribute("name", .string),
                    .attribute("valueExpressionData", .binary),
                ]),
            EntityDescription(
                "XDDevAttributeMapping", superentity: "XDDevPropertyMapping",
                [.toOne("entityMapping", "XDDevEntityMapping", inverse: "attributeMappings")]),
            EntityDescription(
                "XDDevRelationshipMapping", superentity: "XDDevPropertyMapping",
                [
                    .attribute("sourceKeyPath", .string), .attribute("sourceMappingName", .string),
                    .toOne("entityMapping", "XDDevEntityMapping", inverse: "relationshipMappings"),
                ]),
        ]
    }
}
