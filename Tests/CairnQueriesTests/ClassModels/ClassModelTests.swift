import CairnModel
import Foundation
import GraphSupport
import Testing

@testable import CairnObjects

private final class Club: ManagedObject {
    @Managed var name: String
    @Managed var members: Members<Person>
    override class var entitySettings: EntitySettings {
        EntitySettings(
            of: Club.self, .attribute("name", .length(1...9), default: "x"),
            .relationship("members", inverse: .named("club", \Person.club)), .unique("name"))
    }
}
private class Person: ManagedObject {
    @Managed var name: String?
    @Managed var club: Club?
}
private final class Member: Person {
    @Managed var rank: Int
}
private final class Wrong: ManagedObject {
    @Managed var club: Club?
    @Managed var age: Int
    override class var entitySettings: EntitySettings {
        EntitySettings(
            of: Wrong.self, .attribute("years"), .relationship("age"),
            .attribute("age", .pattern("(")))
    }
}
private final class Ranked: ManagedObject {
    @Managed var name: String
    @Managed var club: Club?
    @Managed var above: Members<Ranked>
    override class var entitySettings: EntitySettings {
        EntitySettings(
            of: Ranked.self, .attribute("name", default: ""),
            .unique("name", "above"),
            .index("club.name"),
            .index("club", "name"))
    }
}
private final class Misspelt: ManagedObject {
    @Managed var name: String?
    override class var entitySettings: EntitySettings {
        EntitySettings(
            of: Misspelt.self,
            .unique("name", "naem"))
    }
}

private final class Writer: ManagedObject {
    @Managed var poems: Members<Poem>
    @Managed var idol: Writer?
}
private final class Poem: ManagedObject {
    @Managed var writer: Writer?
}
private final class Edition: ManagedObject {
    @Managed var buyer: Reader?
    @Managed var lender: Reader?
}
private final class Reader: ManagedObject {
    @Managed var editions: Members<Edition>
}
private final class Node: ManagedObject {
    @Managed var parent: Node?
    @Managed var children: Members<Node>
}
private final class Capital: ManagedObject {
    @Managed var country: Country?
    override class var entitySettings: EntitySettings {
        EntitySettings(of: Capital.self, .relationship("country", inverse: .none))
    }
}
private final class Country: ManagedObject {
    @Managed var largest: Capital?
}
private final class Refusing: ManagedObject {
    @Managed var naming: Naming?
    override class var entitySettings: EntitySettings {
        EntitySettings(of: Refusing.self, .relationship("naming", inverse: .none))
    }
}
private final class Naming: ManagedObject {
    @Managed var refusing: Refusing?
    override class var entitySettings: EntitySettings {
        EntitySettings(
            of: Naming.self, .relationship("refusing", inverse: .named("naming", \Refusing.naming)))
    }
}

@Suite struct `A model that is made of classes` {
    @Test func `has an entity for each, with its properties`() throws {
        let model = try ManagedObjectModel(for: Club.self, Person.self, Member.self)
        let club = try #require(model.entity(named: "Club"))
        let member = try #require(model.entity(named: "Member"))

        #expect(model.entities.map(\.name) == ["Club", "Person", "Member"])
        #expect(club.attribute(named: "name")?.description.defaultValue == .string("x"))
        #expect(club.attribute(named: "name")?.isOptional == false)
        #expect(club.uniquenessConstraints == [["name"]])
        #expect(club.relationship(named: "members")?.inverse?.name == "club")
        #expect(member.superentity?.name == "Person")
        #expect(member.ownProperties.map(\.name) == ["rank"])
        #expect(member.relationship(named: "club")?.inverse?.name == "members")
    }

    @Test func `infers the inverse of the only relationship between two classes`() throws {
        let model = try ManagedObjectModel(for: Writer.self, Poem.self)
        let writer = try #require(model.entity(named: "Writer"))

        #expect(writer.relationship(named: "poems")?.inverse?.name == "writer")
        #expect(
            model.entity(named: "Poem")?.relationship(named: "writer")?.inverse?.name == "poems")
        #expect(writer.relationship(named: "idol")?.inverse == nil)
    }

    @Test func `has no inverse if a class declares none`() throws {
        let model = try ManagedObjectModel(for: Capital.self, Country.self)

        let inverses = model.entities.flatMap { $0.relationships.map { $0.inverse?.name } }

        #expect(inverses == [nil, nil])
    }

    @Test func `asks for the inverse if several relationships connect two classes`() {
        let texts = problems(of: Edition.self, Reader.self)

        #expect(texts.count == 1)
        #expect(texts.first?.contains("(Edition.buyer, Edition.lender, Reader.editions)") == true)
        #expect(
            texts.first?.contains(
                #".relationship("buyer", inverse: .named("editions", \Reader.editions))"#) == true)
        #expect(texts.first?.contains("inverse: .none") == true)
    }

    @Test func `asks for the inverse if several relationships lead from a class to itself`() {
        let texts = problems(of: Node.self)

        #expect(texts.count == 1)
        #expect(
            texts.first?.contains(
                #".relationship("parent", inverse: .named("children", \Node.children))"#) == true)
    }

    @Test func `refuses an inverse that the other class declares not to have`() {
        let texts = problems(of: Refusing.self, Naming.self)

        #expect(texts.count == 1)
        #expect(texts.first?.contains("refusing") == true)
    }

    @Test func `reports where a class is wrong`() throws {
        let texts = problems(of: Wrong.self)

        #expect(texts.count == 3)
        #expect(texts[0].contains("the class Club is not among the model's classes"))
        #expect(texts[1].contains("years") && texts[1].contains("ClassModelTests.swift:"))
        #expect(texts[2].contains("age") && texts[2].contains("ClassModelTests.swift:"))
    }

    @Test func `refuses unique or indexed to-manys and properties of other objects`() {
        let texts = problems(of: Ranked.self, Club.self, Person.self)

        #expect(texts.count == 2)
        #expect(texts.first?.contains("a to-many relationship cannot be unique") == true)
        #expect(texts.first?.contains("ClassModelTests.swift:40") == true)
        #expect(texts.last?.contains("“club.name” leads to another object") == true)
        #expect(texts.last?.contains("ClassModelTests.swift:41") == true)
    }

    @Test func `reports where an unknown name is declared unique`() {
        let texts = problems(of: Misspelt.self)

        #expect(texts.count == 1)
        #expect(texts.first?.contains("naem") == true)
        #expect(texts.first?.contains("ClassModelTests.swift:50") == true)
    }

    private func problems(of classes: ManagedObject.Type...) -> [String] {
        do {
            _ = try ManagedObjectModel(for: classes)
            return []
        } catch .invalid(let problems) {
            return problems.map(\.description)
        } catch {
            return ["\(error)"]
        }
    }
}
