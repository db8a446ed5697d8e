import ArgumentParser
import Testing
import Workloads

@testable import CairnBenchmarks

@Suite struct `Arguments of cairn-bench` {
    private func parse(_ arguments: String...) throws -> BenchmarkCommand {
        try BenchmarkCommand.parse(arguments)
    }

    private let engines = MeasuredEngines()

    @Test func `without any, all engines at 100,000 objects in 7 rounds`() throws {
        let choice = try parse().choice

        #expect(choice.sizes == [100_000])
        #expect(try choice.engines(of: engines) == ["SQLite", "LMDB", "Binary", "XML", "InMemory"])
        #expect(choice.roundCount == 7)
        #expect(choice.chosen(of: Catalogue.workloads).count > 30)
    }

    @Test func `quick takes fewer objects and rounds, of every engine, unless told otherwise`()
        throws
    {
        let quick = try parse("--quick").choice
        let told = try parse("--quick", "--size", "50000", "--engine", "XML").choice

        #expect(quick.sizes == [10_000])
        #expect(try quick.engines(of: engines) == ["SQLite", "LMDB", "Binary", "XML", "InMemory"])
        #expect(quick.roundCount == 3)
        #expect(told.sizes == [50_000])
        #expect(try told.engines(of: engines) == ["XML"])
    }

    @Test func `several values follow one option, in any case of letters`() throws {
        let choice = try parse("--engine", "sqlite", "lmdb", "--workload", "k", "OPEN").choice

        #expect(try choice.engines(of: engines) == ["SQLite", "LMDB"])
        #expect(choice.chosen(of: Catalogue.workloads).map(\.name) == ["K", "open"])
    }

    @Test func `a program with an engine of its own measures that one, unless told otherwise`()
        throws
    {
        let engines = MeasuredEngines(outside: ["Folder"])

        let own = try parse().choice.engines(of: engines)
        let told = try parse("--engine", "folder", "binary").choice.engines(of: engines)

        #expect(own == ["Folder"])
        #expect(told == ["Folder", "Binary"])
    }

    @Test(arguments: [
        (["--engine", "Oracle"], "The engines are SQLite"), (["--workload", "Z9"], "see --list"),
        (["--size", "10"], "at least 1000"), (["--rounds", "0"], "at least 1"),
        (["--model", "M.mom"], "needs --store"),
    ])
    func `what makes no sense is refused, with what there is`(
        arguments: [String], message: String
    ) throws {
        let error = #expect(throws: (any Error).self) {
            try BenchmarkCommand.parse(arguments).choice.engines(of: engines)
        }

        #expect(error.map { BenchmarkCommand.message(for: $0) }?.contains(message) == true)
    }
}
