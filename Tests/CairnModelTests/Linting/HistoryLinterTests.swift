import Testing

@testable import CairnModel

@Suite struct `The linter of a history` {
    private static func model(_ type: AttributeType, _ name: String) throws -> ManagedObjectModel {
        try ManagedObjectModel([
            EntityDescription("Note", [.attribute("born", type), .attribute(name, .string)])
        ])
    }

    /// Three versions. Nothing can be inferred between the first and the second.
    private static func history(_ mapping: EntityMapping? = nil) throws -> ModelHistory {
        let models = try [
            model(.string, "a"), model(.date, "b"), model(.date, "c"),
        ]
        var history = ModelHistory(
            versions: models.enumerated().map { .init(name: "\($0.offset + 1)", model: $0.element) }
        )
        if let mapping {
            history.add(MappingModel([mapping]), named: "Dates", from: models[0], to: models[1])
        }
        return history
    }

    private static func findings(_ history: ModelHistory) -> [String] {
        HistoryLinter(history).findings().map(\.description)
    }

    @Test func `names the versions that no chain of migrations leads on from`() throws {
        let findings = Self.findings(try Self.history())

        #expect(findings.count == 1)
        #expect(
            findings.first?.hasPrefix(
                "The version “1”: no chain of migrations leads from it to “3”: Note.born: its type")
                == true, "\(findings)")
    }

    @Test func `accepts versions that a mapping model connects`() throws {
        let findings = Self.findings(
            try Self.history(EntityMapping("Notes", from: "Note", to: "Note")))

        #expect(findings == [])
    }

    @Test func `names properties that the versions of a mapping model do not have`() throws {
        let mapping = EntityMapping(
            "Notes", from: "Note", to: "Note",
            attributes: [
                PropertyMapping("b", try FetchExpression(format: "$source.missing")),
                PropertyMapping("unknown", .constant(.integer(1))),
            ])

        let findings = Self.findings(try Self.history(mapping))

        #expect(findings.count == 3, "\(findings)")
        #expect(
            findings.contains {
                $0.hasPrefix("Note.b: the entity mapping “Notes” reads “missing” of Note")
                    && $0.hasSuffix("(mapping model “Dates”)")
            })
        #expect(
            findings.contains { $0.hasPrefix("Note.unknown: the entity mapping “Notes” sets it") })
        #expect(findings.last?.hasPrefix("The version “1”: no chain of migrations") == true)
    }

    @Test func `names policies that are not registered, and versions as if they were`() throws {
        let mapping = EntityMapping("Notes", from: "Note", to: "Note", policy: "Shop.DatePolicy")
        var history = try Self.history(mapping)

        let findings = Self.findings(history)
        history.policies.append(ModelHistory.Policy(name: "DatePolicy", body: ()))
        let registered = Self.findings(history)

        #expect(
            findings == [
                "The mapping model “Dates”: a program that uses it has to register the policy"
                    + " “Shop.DatePolicy”"
            ])
        #expect(registered == [])
    }

    @Test func `names mapping models that fit no two versions`() throws {
        var history = try Self.history()
        let misfit = InferenceFinding("The mapping model “Old”", nil, "a version was changed")
        history.unusedMappings = [misfit]

        #expect(Self.findings(history).first == misfit.description)
    }
}
