import CairnTestSupport
import Foundation
import Synchronization
import Testing

@testable import CairnFiles

@Suite struct `A leftover of a process that was killed while it replaced a file` {
    @Test func `is removed if no names were exchanged`() throws {
        let files = try ExchangeFixture()
        _ = try files.killBeforeExchange()

        files.file.settleLeftovers()

        #expect(files.text == "old")
        #expect(try files.textsBeside() == [])
    }

    @Test func `is the old file, which is removed`() throws {
        let files = try ExchangeFixture()
        try files.killAfterExchange()

        files.file.settleLeftovers()

        #expect(files.text == "new")
        #expect(try files.textsBeside() == [])
    }

    @Test func `is a file of another program, which is put back`() throws {
        let files = try ExchangeFixture()
        try files.replace(with: "another")
        try files.killAfterExchange()

        files.file.settleLeftovers()

        #expect(files.text == "another")
        #expect(try files.textsBeside() == [])
    }

    @Test func `is a file of another program, which stays if something newer is at the path`()
        throws
    {
        let files = try ExchangeFixture()
        try files.replace(with: "another")
        try files.killAfterExchange()
        try files.replace(with: "newer")

        files.file.settleLeftovers()

        #expect(files.text == "newer")
        #expect(try files.textsBeside() == ["another"])
    }

    @Test func `is not confused with a file of a similar name`() throws {
        let files = try ExchangeFixture()
        let fingerprint = files.expected.fingerprint
        for name in [
            ".store.replacing-", ".store.replacing-\(fingerprint)",
            ".store.replacing-\(fingerprint)-\(fingerprint)-\(fingerprint)",
            ".other.replacing-\(fingerprint)-\(fingerprint)", ".store.saving-12345678",
        ] {
            try PosixFile.write(Data("mine".utf8), toNew: files.folder.file(name).path)
        }

        let hasLeftovers = files.file.hasLeftovers
        files.file.settleLeftovers()

        #expect(!hasLeftovers)
        #expect(try files.textsBeside() == Array(repeating: "mine", count: 5))
    }
}
