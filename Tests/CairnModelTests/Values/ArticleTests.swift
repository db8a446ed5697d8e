import Testing

@testable import CairnModel

@Suite struct `The article of a noun` {
    @Test(arguments: [
        ("attribute", "an attribute"), ("relationship", "a relationship"),
        ("fetched property", "a fetched property"), ("NSArray", "a NSArray"),
        ("Entity", "an Entity"), ("", "a "),
    ])
    func `follows from its first letter`(_ noun: String, _ text: String) {
        #expect(noun.withArticle == text)
    }

    /// Every change of a property's kind names the new kind.
    @Test func `is right in every description of a changed kind`() throws {
        let properties: [PropertyDescription] = [
            .attribute("it", .string), .toOne("it", "Book"),
            .fetchedProperty(
                FetchedPropertyDescription("it", FetchRequestTemplate(entity: "Book"))),
        ]
        for old in properties {
            for new in properties where old.kindWord != new.kindWord {
                let changes = try ModelChanges(
                    from: ManagedObjectModel([EntityDescription("Book", [old])]),
                    to: ManagedObjectModel([EntityDescription("Book", [new])]))
                let text =
                    changes.lines.joined()
                    + changes.entities.flatMap(\.properties).map(\.description).joined()

                #expect(text.contains("became \(new.kindWord.withArticle)"), "\(text)")
                #expect(!text.contains(/\ba [aeiou]/), "\(text)")
            }
        }
    }
}
