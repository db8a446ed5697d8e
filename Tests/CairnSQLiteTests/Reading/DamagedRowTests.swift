import CairnModel
import CairnStore
import Foundation
import Testing

@testable import CairnSQLite

@Suite struct `Rows with invalid contents` {
    @Test(arguments: [
        ("ZNAME", "x'61ff'", "the value is not text"),
        ("ZNAME", "CAST(x'61ff' AS TEXT)", "not valid UTF-8"),
        ("ZNAME", "CAST(x'616161616161616161ff' AS TEXT)", "not valid UTF-8"),
        ("ZNAME", "CAST(x'ff\(String(repeating: "61", count: 200))' AS TEXT)", "not valid UTF-8"),
        ("ZSMALL", "70000", "more than 16 bits"), ("ZMIDDLE", "5000000000", "more than 32 bits"),
        ("ZLARGE", "1e30", "not an integer"), ("ZLARGE", "'seven'", "not an integer"),
        ("ZFLAG", "2", "neither 0 nor 1"), ("ZREAL", "x'00'", "not a number"),
        ("ZDAY", "'monday'", "not a number"), ("ZDAY", "9007199254740993", "more digits"),
        ("ZPRICE", "9e999", "cannot be a decimal"), ("ZPRICE", "1e300", "cannot be a decimal"),
        ("ZUUID", "x'000102030405060708090a0b0c0d0e'", "16 bytes"),
        ("ZUUID", "'text'", "not a blob"), ("ZUUID", "'0123456789abcdef'", "not a blob"),
        ("ZBYTES", "7", "not a blob"), ("ZARCHIVE", "1.5", "not a blob"),
        ("ZNAME", "x'6162'", "the value is not text"), ("ZDAY", "x'00'", "not a number"),
        ("ZPRICE", "'twelve'", "not a number"), ("ZOWNER", "'1'||'x'", "not an integer"),
        ("Z3_PARENT", "77", "no entity has the number 77"), ("Z_ENT", "77", "number 77"),
        ("Z_ENT", "NULL", "NULL"), ("Z_OPT", "x'01'", "not an integer"),
    ])
    func `are errors that name table, column and key`(
        _ column: String, _ value: String, _ detail: String
    ) throws {
        let store = try EdgeCaseStore.make(seed: 1)
        let parent = try #require(
            store.entity("Thing").relationship(named: "parent").flatMap(store.schema.map.column))
        guard case .toOne(_, let entityColumn?, _) = parent.form else { return }
        // Gives every row a parent first, so that the parent's entity is examined.
        try store.plain.execute("UPDATE ZTHING SET ZPARENT = 1")
        let name = column == "Z3_PARENT" ? entityColumn.text : column
        try store.plain.execute("UPDATE ZTHING SET \(name) = \(value) WHERE Z_PK = 7")
        let snapshot = try store.snapshot()

        let error = #expect(throws: StoreError.self) {
            _ = try snapshot.all(FetchPlan(entity: store.entity("Thing")))
        }
        let others = try snapshot.rows(for: [store.id(store.entity("Book"), 6)])

        guard case .corrupt(_, let location, let text)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(location == "table ZTHING, column \(name), key 7")
        #expect(text.contains(detail))
        #expect(others.count == 1)
    }

    @Test(arguments: ["bytes", "archive"])
    func `are no damage if a text is in a column of bytes, which predicates find in both forms`(
        _ name: String
    ) throws {
        let store = try EdgeCaseStore.make(seed: 1)
        let column = "Z\(name.uppercased())"
        try store.plain.execute("UPDATE ZTHING SET \(column) = NULL")
        try store.plain.execute("UPDATE ZTHING SET \(column) = 'naïve' WHERE Z_PK = 7")
        try store.plain.execute(
            "UPDATE ZTHING SET \(column) = CAST('naïve' AS BLOB) WHERE Z_PK = 8")
        let book = store.entity("Book")
        let slot = try #require(store.layouts.layout(of: book).slot(named: name))
        let data = Data("naïve".utf8)
        let snapshot = try store.snapshot()

        let row = try snapshot.rows(for: [store.id(book, 7)])[row: 0]
        var found: [[Int64]] = []
        for format in ["%K == %@", "%K IN {%@}", "NOT (%K != %@)"] {
            let predicate = try FetchPredicate(format: format, name, data).bound(to: book)
            var plan = FetchPlan(entity: book)
            plan.predicate = predicate
            found.append(try snapshot.all(plan).batch.rows.map(\.key).sorted())
        }

        #expect(row.value(slot) == (name == "bytes" ? .binary(data) : .transformable(data)))
        #expect(found == [[7, 8], [7, 8], [7, 8]])
    }

    @Test func `are read if the damage is a dangling reference`() throws {
        let store = try EdgeCaseStore.make(seed: 2)
        try store.plain.execute("UPDATE ZTHING SET ZOWNER = 9999 WHERE Z_PK = 7")
        let snapshot = try store.snapshot()
        let book = store.entity("Book")

        let row = try snapshot.rows(for: [store.id(book, 7)])[row: 0]
        let slot = try #require(store.layouts.layout(of: book).slot(named: "owner"))

        #expect(row.objectID(slot).key == 9999)
    }
}
