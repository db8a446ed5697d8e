import CairnFiles
import Foundation
import Testing

@Suite struct `A path` {
    @Test(arguments: [
        ("", "", ""), ("/", "/", "/"), ("//", "/", "/"), ("a", "", "a"), ("a/", "", "a"),
        ("/a", "/", "a"), ("/a/", "/", "a"), ("//a", "/", "a"), ("/a/b", "/a", "b"),
        ("/a//b//", "/a", "b"), ("a/b", "a", "b"), ("/ä/ö b", "/ä", "ö b"), ("/a/..", "/a", ".."),
        ("/.hidden", "/", ".hidden"),
    ])
    func `is divided into its folder and its last component`(
        _ path: String, _ folder: String, _ name: String
    ) {
        let parts = path.pathParts

        #expect(parts.folder == folder)
        #expect(parts.name == name)
    }

    @Test(arguments: [
        "/a/b", "/a/b.sqlite", "/a/./b", "/a/../b", "/a//b", "/a/.b/c", "/a/b/..", "/a/b/.",
        "/ä b%20/c",
    ])
    func `is standardized as Foundation does it`(_ path: String) {
        let url = URL(fileURLWithPath: path)

        #expect(url.standardPath == url.standardizedFileURL.path)
    }
}
